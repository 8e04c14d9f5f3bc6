/**
 * Clouds that machines are read from (docs/rules/xpack.md#attrs_by_provider). Forms, validation
 * and metadata come from this table; what is written to each is in the server's `cloud/providers/`.
 */
import type { Fields } from '../../define.ts'

const text = <const L extends string>(label: L) => ({ type: 'string', label, required: true, maxLength: 1024 }) as const
const secret = <const L extends string>(label: L) => ({ ...text(label), writeOnly: true }) as const

const keys = {
  access_key_id: { ...text('AccessKey ID'), helpText: 'A key that may list the machines is enough' },
  access_key_secret: secret('AccessKey secret'),
} as const
const application = {
  client_id: { ...text('Client ID'), helpText: 'An app registration that may read the machines of the subscription' },
  client_secret: secret('Client secret'),
  tenant_id: text('Tenant ID'),
  subscription_id: text('Subscription ID'),
} as const
const endpoint = text('API address')
const UNUSED = 'Not needed: machines are read at the operation center'

/**
 * By name: its label, whether it is a company's own, and the fields of `attrs`.
 */
export const CLOUD_PROVIDERS = {
  aliyun: { label: 'Alibaba Cloud', isPrivate: false, attrs: keys },
  qcloud: { label: 'Tencent Cloud', isPrivate: false, attrs: keys },
  huaweicloud: { label: 'Huawei Cloud', isPrivate: false, attrs: keys },
  aws_china: { label: 'AWS (China)', isPrivate: false, attrs: keys },
  aws_international: { label: 'AWS (International)', isPrivate: false, attrs: keys },
  azure: { label: 'Azure (China)', isPrivate: false, attrs: application },
  azure_international: { label: 'Azure (International)', isPrivate: false, attrs: application },
  gcp: {
    label: 'Google Cloud Platform',
    isPrivate: false,

    attrs: { service_account_key: { type: 'object', label: 'Service account key', required: true, writeOnly: true } },
  },
  vmware: {
    label: 'VMware',
    isPrivate: true,

    attrs: {
      host: text('Host'),
      port: { type: 'integer', label: 'Port', default: 443, min: 1, max: 65_535 },
      username: text('Username'),
      password: secret('Password'),
    },
  },
  qingcloud_private: {
    label: 'QingCloud (private)',
    isPrivate: true,

    attrs: { ...keys, api_endpoint: endpoint },
  },
  huaweicloud_private: {
    label: 'Huawei Cloud (private)',
    isPrivate: true,

    attrs: {
      oc_username: text('Name at the operation center'),
      oc_password: secret('Password at the operation center'),
      api_endpoint: { ...endpoint, helpText: 'Of the operation center, such as https://oc.example.com:26335' },
      // What existing clients send of the other is kept.
      sc_username: { ...text('Name at the service center'), required: false, helpText: UNUSED },
      sc_password: { ...secret('Password at the service center'), required: false, helpText: UNUSED },
      domain_name: { ...text('Tenant'), required: false, helpText: UNUSED },
    },
  },
  openstack: {
    label: 'OpenStack',
    isPrivate: true,

    attrs: {
      auth_url: text('Address of the identity service'),
      user_domain_name: text('Domain of the user'),
      username: text('Username'),
      password: secret('Password'),
    },
  },
  nutanix: { label: 'Nutanix', isPrivate: true, attrs: { ...keys, api_endpoint: endpoint } },
} as const satisfies Record<string, { label: string; isPrivate: boolean; attrs: Fields }>
export type CloudProvider = keyof typeof CLOUD_PROVIDERS

type Attrs = { readonly [P in CloudProvider]: (typeof CLOUD_PROVIDERS)[P]['attrs'] }
type Labels = { readonly [P in CloudProvider]: (typeof CLOUD_PROVIDERS)[P]['label'] }

const table = Object.entries(CLOUD_PROVIDERS)
export const CLOUD_ATTRS = Object.fromEntries(table.map(([name, { attrs }]) => [name, attrs])) as Attrs
export const CLOUD_LABELS = Object.fromEntries(table.map(([name, { label }]) => [name, label])) as Labels
