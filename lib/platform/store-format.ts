/**
 * The format of everything that this version stores: items of both tables, objects, and the folders of a home. A home
 * has it in its file `format`, a deployment in a property of its resource for the origin secret, which CloudFormation
 * updates before any function of the API. A change of the format raises it and brings a migration; `docs/operate/upgrades.md`
 * says what else it brings.
 */
export const STORE_FORMAT = '1';
