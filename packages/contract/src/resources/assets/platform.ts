import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/** Network equipment whose prompt Sallyport knows: `meta.device` of platforms whose base is Other. */
export const DEVICES = { cisco: 'Cisco IOS', huawei: 'Huawei VRP', h3c: 'H3C Comware' } as const
export type Device = keyof typeof DEVICES

export const platform = defineResource({
  name: 'platform',
  path: '/api/v1/assets/platforms/',
  label: 'Platform',
  scope: 'global',
  operations: [...CRUD, 'export'],
  permission: { list: ['org_admin'], retrieve: ['org_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'integer', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 50, unique: 'global' },
    base: {
      type: 'choice',
      label: 'Base',
      helpText: 'The family of systems; it decides how tasks run',
      choices: { Linux: 'Linux', Unix: 'Unix', MacOS: 'MacOS', BSD: 'BSD', Windows: 'Windows', Other: 'Other' },
      default: 'Linux',
    },
    charset: {
      type: 'choice',
      label: 'Charset',
      helpText: 'Characters of its terminal; gbk is for older Chinese systems',
      choices: { utf8: 'UTF-8', gbk: 'GBK' },
      default: 'utf8',
    },
    internal: { type: 'boolean', label: 'Internal', default: false, readOnly: true },
    meta: { type: 'object', label: 'Meta', nullable: true },
    comment: { type: 'text', label: 'Comment', nullable: true },
  },
  search: ['name'],
  filters: ['name', 'base'],
  ordering: '*',
  defaultOrder: ['name'],
})
export type Platform = Row<typeof platform>
export type PlatformDraft = Draft<typeof platform>
