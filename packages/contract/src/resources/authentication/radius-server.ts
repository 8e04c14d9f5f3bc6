import { type Draft, defineResource, type Row } from '../../define.ts'
import { FURTHER_LISTED, FURTHER_TAIL, NOBODY_NEW, PROVIDER_HEAD } from '../../further-source.ts'
import { CRUD } from '../../operations.ts'
import { radius as settings } from '../../settings/directories.ts'

/**
 * A further RADIUS server whose people sign in here, beside the one of the settings (RADIUS_…), which
 * is the first. An extension: the contract has none.
 */
export const radiusServer = defineResource({
  name: 'radius_server',
  path: '/api/v1/authentication/radius-servers/',
  label: 'RADIUS server',
  scope: 'global',
  operations: [...CRUD],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    ...PROVIDER_HEAD,
    name: { type: 'string', label: 'Name', required: true, maxLength: 64, unique: 'global' },
    priority: {
      ...PROVIDER_HEAD.priority,
      helpText: 'Smaller numbers come first; the server of the settings comes before all',
    },
    host: { type: 'string', label: 'Host', helpText: settings.RADIUS_SERVER.helpText, required: true, maxLength: 1024 },
    port: { type: 'integer', label: 'Port', min: 1, max: 65_535, default: 1812 },
    secret: {
      type: 'string',
      label: 'Secret',
      helpText: settings.RADIUS_SECRET.helpText,
      nullable: true,
      writeOnly: true,
      maxLength: 1024,
    },
    name_suffix: {
      type: 'string',
      label: 'Suffix of names',
      helpText: 'Such as @partner.example: new names that end so are asked here and nowhere else. Empty: any new name',
      blank: true,
      maxLength: 128,
      default: '',
    },
    existing_only: NOBODY_NEW,
    ...FURTHER_TAIL,
  },
  search: ['name', 'host'],
  ...FURTHER_LISTED,
})
export type RadiusServer = Row<typeof radiusServer>
export type RadiusServerDraft = Draft<typeof radiusServer>
