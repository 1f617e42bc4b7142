import type { IResource, LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';

/**
 * The tree of API Gateway's resources. Each gets ANY with the catch-all, so that a method that a known path doesn't have
 * is answered by us and not by API Gateway.
 */
export class RouteTree {
  readonly #resources = new Map<string, IResource>();
  readonly #catchAll: LambdaIntegration;

  constructor(root: IResource, catchAll: LambdaIntegration) {
    this.#catchAll = catchAll;
    this.#add('', root);
  }

  /** The resource of a path such as `/api/v1/jobs/{id}`, made with all that lead to it. */
  at(path: string): IResource {
    const known = this.#resources.get(path);
    if (known !== undefined) return known;
    const end = path.lastIndexOf('/');
    return this.#add(path, this.at(path.slice(0, end)).addResource(path.slice(end + 1)));
  }

  #add(path: string, resource: IResource): IResource {
    resource.addMethod('ANY', this.#catchAll);
    this.#resources.set(path, resource);
    return resource;
  }
}
