import { Validations } from 'aws-cdk-lib';
import { GatewayVpcEndpointAwsService, type IVpc, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import type { WorkerNetwork } from '../../platform/config/worker-network.ts';

/** The workers' network: the one that the settings name, with nothing changed in it, or a new one. */
export function workerVpc(
  scope: Construct,
  id: string,
  { availabilityZones, vpcId, subnets = {} }: WorkerNetwork,
): IVpc {
  if (vpcId !== undefined) {
    const vpc = Vpc.fromVpcAttributes(scope, id, {
      vpcId,
      availabilityZones: Object.keys(subnets),
      publicSubnetIds: Object.values(subnets),
    });
    for (const { node } of vpc.publicSubnets)
      Validations.of(node.scope ?? scope).acknowledge({
        id: 'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId',
        reason: 'Nothing is added to the route tables of an existing network.',
      });
    return vpc;
  }
  // Public subnets only: a NAT gateway would cost more than everything else. Free gateway endpoints keep AWS traffic
  // inside.
  return new Vpc(scope, id, {
    ...(availabilityZones && { availabilityZones }),
    natGateways: 0,
    subnetConfiguration: [{ name: 'Public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false }],
    gatewayEndpoints: {
      S3: { service: GatewayVpcEndpointAwsService.S3 },
      DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
    },
    // Nothing uses the default security group; emptying it requires a function with extra permissions.
    restrictDefaultSecurityGroup: false,
  });
}
