import { type Draft, defineResource, type Row } from '../../define.ts'
import { FURTHER_LISTED, FURTHER_TAIL, PROVIDER_HEAD } from '../../further-source.ts'
import { CRUD } from '../../operations.ts'

/**
 * A further directory whose people sign in here, beside the one of the settings (AUTH_LDAP_…), which is
 * the first. An extension: the contract has none.
 */
export const directory = defineResource({
  name: 'directory',
  path: '/api/v1/authentication/directories/',
  label: 'Directory',
  scope: 'global',
  operations: [...CRUD],
  permission: { list: ['super_admin'], write: ['super_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 64, unique: 'global' },
    kind: { type: 'choice', label: 'Type', choices: { ldap: 'LDAP/AD' }, default: 'ldap' },
    priority: {
      type: 'integer',
      label: 'Priority',
      helpText: 'Smaller numbers come first; the directory of the settings comes before all',
      min: 1,
      max: 100,
      default: 50,
    },
    is_active: PROVIDER_HEAD.is_active,
    server_uri: {
      type: 'string',
      label: 'LDAP server',
      helpText: 'Such as ldaps://ad.example.com:636; ldap:// sends passwords in clear unless StartTLS is on',
      required: true,
      maxLength: 1024,
    },
    start_tls: { type: 'boolean', label: 'Encrypt ldap:// by StartTLS', default: false },
    ca_certificates: {
      type: 'text',
      label: 'Certificates of the authority',
      helpText: 'PEM, of your own authority; those of the system when empty',
      blank: true,
      maxLength: 65_536,
      default: '',
    },
    bind_dn: {
      type: 'string',
      label: 'Bind DN',
      helpText: 'The account that looks people up; it needs to read only',
      blank: true,
      maxLength: 1024,
      default: '',
    },
    bind_password: { type: 'string', label: 'Password', nullable: true, writeOnly: true, maxLength: 1024 },
    search_ou: {
      type: 'string',
      label: 'User OU',
      helpText: 'Several are separated by |',
      required: true,
      maxLength: 1024,
    },
    search_filter: {
      type: 'string',
      label: 'User search filter',
      helpText: '%(user)s is the name that is typed; (sAMAccountName=%(user)s) for Active Directory',
      maxLength: 1024,
      default: '(uid=%(user)s)',
    },
    user_attr_map: {
      type: 'object',
      label: 'User attribute map',
      helpText: 'Our attribute to the one of the directory; username, name and email are needed',
      default: { username: 'uid', name: 'cn', email: 'mail' },
    },
    group_search_ou: {
      type: 'string',
      label: 'Group OU',
      helpText:
        'Where group mappings look for groups; several are separated by |. Empty: those that entries name by memberOf alone',
      blank: true,
      maxLength: 1024,
      default: '',
    },
    connect_timeout: {
      type: 'integer',
      label: 'Connect timeout',
      helpText: 'Seconds',
      min: 1,
      max: 300,
      default: 10,
    },
    search_paged_size: {
      type: 'integer',
      label: 'Search page size',
      helpText: 'People that the directory is asked for at once; 0 asks for all',
      min: 0,
      max: 100_000,
      default: 1000,
    },
    existing_only: { type: 'boolean', label: 'Only people who exist here may sign in by LDAP', default: false },
    sync_is_periodic: { type: 'boolean', label: 'Run on a schedule', default: false },
    sync_crontab: { type: 'string', label: 'At fixed times', blank: true, maxLength: 128, default: '' },
    sync_interval: {
      type: 'integer',
      label: 'At intervals',
      helpText: 'Hours; if both are set, the fixed times count',
      nullable: true,
      min: 1,
      max: 65_535,
    },
    ...FURTHER_TAIL,
  },
  search: ['name', 'server_uri'],
  ...FURTHER_LISTED,
})
export type Directory = Row<typeof directory>
export type DirectoryDraft = Draft<typeof directory>
