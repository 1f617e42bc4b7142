import * as z from 'zod';

const zone = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d[a-z]$/, 'expected a zone such as eu-central-1a');
const MAX_ZONES = 6;

/** The network of workers: one that the deployment creates, or one that exists. */
export const workerNetworkSchema = z
  .strictObject({
    /** Zones of the network that the deployment creates; default: the first two of the region by name. */
    availabilityZones: z
      .array(zone)
      .min(1)
      .max(MAX_ZONES)
      .refine((zones) => new Set(zones).size === zones.length, 'expected each zone once')
      .optional(),
    /** An existing network, instead of one that the deployment creates. */
    vpcId: z
      .string()
      .regex(/^vpc-[0-9a-f]{8,17}$/, 'expected an id such as vpc-0123456789abcdef0')
      .optional(),
    /** Its subnets, one for each zone. Tasks in them must reach the internet. */
    subnets: z
      .record(zone, z.string().regex(/^subnet-[0-9a-f]{8,17}$/, 'expected an id such as subnet-0123456789abcdef0'))
      .refine((subnets) => Object.keys(subnets).length > 0, 'expected at least one zone and its subnet')
      .optional(),
    /** Whether workers get public addresses; not needed in subnets that reach the internet by NAT. */
    publicAddresses: z.boolean().default(true),
  })
  .superRefine(({ availabilityZones, vpcId, subnets, publicAddresses }, context) => {
    const refuse = (path: string, input: unknown, message: string) =>
      context.addIssue({ code: 'custom', path: [path], input, message });
    if ((vpcId === undefined) !== (subnets === undefined))
      refuse(
        'vpcId',
        vpcId,
        'expected vpcId and subnets together: {"vpcId": "vpc-…", "subnets": {"ZONE": "subnet-…"}}',
      );
    if (vpcId !== undefined && availabilityZones !== undefined)
      refuse('availabilityZones', availabilityZones, 'expected none with vpcId: the subnets have their zones');
    if (vpcId === undefined && !publicAddresses)
      refuse('publicAddresses', publicAddresses, 'expected true: the network that the deployment creates has no NAT');
  });

export type WorkerNetwork = z.output<typeof workerNetworkSchema>;
