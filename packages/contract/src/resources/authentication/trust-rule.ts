import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/**
 * A rule about the workload tokens that a service identity takes: of one issuer, for one audience, with
 * these claims. An extension: the contract has none.
 */
export const trustRule = defineResource({
  name: 'trust_rule',
  path: '/api/v1/authentication/trust-rules/',
  label: 'Trust rule',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    identity: { type: 'ref', label: 'Service identity', to: 'service_identity', required: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 64 },
    issuer: {
      type: 'string',
      label: 'Issuer',
      helpText: 'As the claim iss has it, such as https://token.actions.githubusercontent.com',
      required: true,
      maxLength: 512,
    },
    audience: {
      type: 'string',
      label: 'Audience',
      helpText: 'As the claim aud has it: the workload asks for it by this text, best the address of this system',
      required: true,
      maxLength: 512,
    },
    claims: {
      type: 'list',
      label: 'Claims',
      helpText: 'All must fit, such as repository = octo/app',
      required: true,
      minItems: 1,
      maxItems: 20,
      fields: {
        claim: { type: 'string', label: 'Claim', required: true, maxLength: 256 },
        value: {
          type: 'string',
          label: 'Value',
          helpText: '* is any text without / and :, ** is any text',
          required: true,
          maxLength: 1024,
        },
      },
    },
    is_reusable: {
      type: 'boolean',
      label: 'Tokens may be used again',
      helpText: 'For Kubernetes, whose tokens stay the same for an hour. Otherwise each is taken once.',
      default: false,
    },
    keys: {
      type: 'text',
      label: 'Keys of the issuer',
      helpText: 'A JWK set, where the issuer cannot be reached from here. Otherwise its own are fetched.',
      maxLength: 65_536,
      default: '',
    },
    ca_certificate: {
      type: 'text',
      label: 'CA certificate',
      helpText: 'Where the certificate of the issuer is from an authority of your own, such as that of a cluster',
      maxLength: 65_536,
      default: '',
    },
    is_active: { type: 'boolean', label: 'Active', default: true },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true, maxLength: 30 },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  mini: ['id', 'name'],
  search: ['name', 'issuer', 'audience'],
  filters: ['identity', 'name', 'issuer', 'is_active'],
  ordering: ['name', 'date_created'],
  defaultOrder: ['name'],
})
export type TrustRule = Row<typeof trustRule>
export type TrustRuleDraft = Draft<typeof trustRule>
