import type { FastifyRequest } from 'fastify'
import { LIST_SCHEMA, MAX_PAGE } from './answer.ts'
import { CORE_GROUP, CORE_USER, ENTERPRISE_USER, GROUP, type Kind, type Schema, USER } from './attributes.ts'
import { MAX_BULK_OPERATIONS } from './bulk.ts'
import type { Side } from './people.ts'
import { scimError } from './scim-error.ts'

const CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
const TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'
const MAX_PAYLOAD = 2 * 1024 * 1024

type Route = (
  method: 'GET',
  path: string,
  summary: string,
  handler: (side: Side, request: FastifyRequest) => Promise<unknown>,
) => void

/** What this server can do, for providers that ask (RFC 7644 §4). */
export function registerDiscovery(route: Route): void {
  route('GET', '/ServiceProviderConfig', 'SCIM: what this server supports', async ({ base }) => ({
    schemas: [CONFIG],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: MAX_BULK_OPERATIONS, maxPayloadSize: MAX_PAYLOAD },
    filter: { supported: true, maxResults: MAX_PAGE },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The token of the SCIM provider',
        specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }))
  described(route, '/ResourceTypes', 'types of resources', resourceTypes)
  described(route, '/Schemas', 'attributes of resources', schemas)
}

/** A list, and each of its entries by id. */
function described(
  route: Route,
  path: string,
  words: string,
  entries: (base: string) => { id: string; schemas: readonly string[] }[],
): void {
  route('GET', path, `SCIM: ${words}`, async ({ base }, { query }) => {
    // RFC 7644 §4: these lists take no filter.
    if ((query as Record<string, unknown>).filter) throw scimError(403, undefined, 'This list takes no filter')
    const all = entries(base)
    return { schemas: [LIST_SCHEMA], totalResults: all.length, startIndex: 1, itemsPerPage: all.length, Resources: all }
  })
  route('GET', `${path}/:id`, `SCIM: ${words}, one`, async ({ base }, { params }) => {
    const { id } = params as { id: string }
    const found = entries(base).find((one) => one.id === id)
    if (!found) throw scimError(404, undefined, 'Not found')
    return found
  })
}

const resourceTypes = (base: string) =>
  [
    { id: 'User', endpoint: '/Users', schema: CORE_USER, extensions: [ENTERPRISE_USER] },
    { id: 'Group', endpoint: '/Groups', schema: CORE_GROUP, extensions: [] },
  ].map(({ id, endpoint, schema, extensions }) => ({
    schemas: [TYPE],
    id,
    name: id,
    endpoint,
    schema,
    schemaExtensions: extensions.map((one) => ({ schema: one, required: false })),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${id}` },
  }))

function schemas(base: string) {
  const { [ENTERPRISE_USER]: enterprise, ...core } = USER
  const parts = enterprise?.is === 'complex' ? enterprise.parts : {}
  return [
    { id: CORE_USER, name: 'User', attributes: core },
    { id: ENTERPRISE_USER, name: 'EnterpriseUser', attributes: parts },
    { id: CORE_GROUP, name: 'Group', attributes: GROUP },
  ].map(({ id, name, attributes }) => ({
    schemas: [SCHEMA],
    id,
    name,
    attributes: attributesOf(attributes),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }))
}

/** Attributes in the words of RFC 7643 §7. */
function attributesOf(attributes: Schema): object[] {
  return Object.entries(attributes).map(([name, kind]) => ({
    name,
    type: typeOf(kind),
    multiValued: kind.is === 'list',
    required: kind.is === 'text' && kind.required === true,
    caseExact: kind.is === 'text' && kind.exact === true,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: name === 'userName' ? 'server' : 'none',
    ...('parts' in kind ? { subAttributes: attributesOf(kind.parts) } : {}),
  }))
}

const typeOf = (kind: Kind) => (kind.is === 'boolean' ? 'boolean' : 'parts' in kind ? 'complex' : 'string')
