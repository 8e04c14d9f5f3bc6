import { type Directory, directory } from '@sallyport/contract/resources/authentication/directory.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { activeAction } from '../active-action.ts'
import { lifeStates } from '../row-states.ts'
import { furtherPlaces } from './further/further-places.ts'
import { ProviderTest, testField } from './further/ProviderTest.tsx'
import { switchPeople } from './further/switch-people.ts'
import { DirectoryUsers, tryLogin } from './ldap/directory-parts.tsx'

export const routes = furtherPlaces('Directory', '/settings/directories', {
  List: msg('Directories'),
  Create: msg('Create directory'),
  Update: msg('Update directory'),
  Detail: msg('Directory detail'),
})

const DirectoryTest = () => <ProviderTest of={directory} />

/** Directories beside the one of the settings, each with its own people. */
export const directoryPages = definePages<Directory>(directory, {
  list: {
    columns: [
      'name',
      'server_uri',
      'priority',
      { field: 'people_amount', align: 'right' },
      'is_active',
      'sync_is_periodic',
      'date_created',
      'created_by',
      'comment',
    ],
    defaultColumns: ['name', 'server_uri', 'priority', 'people_amount', 'is_active'],
    lead: msg('Their people sign in as those of the LDAP settings do, which come first; each directory has its own.'),
    none: msg('There is no directory beside that of the LDAP settings'),
    hasSelection: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'priority', 'is_active'] },
      {
        title: msg('LDAP server'),
        fields: [
          { name: 'server_uri', placeholder: 'ldaps://ad.example.com:636' },
          'start_tls',
          { name: 'ca_certificates', widget: 'textarea', placeholder: '-----BEGIN CERTIFICATE-----' },
          { name: 'bind_dn', placeholder: 'cn=reader,dc=example,dc=org' },
          'bind_password',
        ],
      },
      {
        title: msg('People in the directory'),
        fields: [
          { name: 'search_ou', placeholder: 'ou=people,dc=example,dc=org' },
          'search_filter',
          'group_search_ou',
          { name: 'user_attr_map', widget: 'json' },
          'existing_only',
          testField(DirectoryTest),
        ],
      },
      {
        title: msg('Sync schedule'),
        fields: [
          { name: 'sync_is_periodic', widget: 'switch' },
          { name: 'sync_crontab', widget: 'cron' },
          { name: 'sync_interval', widget: 'interval' },
        ],
      },
      { title: msg('Other'), folded: true, fields: ['connect_timeout', 'search_paged_size', 'comment'] },
    ],
  },
  detail: {
    states: (row) => lifeStates(row),
    lead: (row) => [row.server_uri],
    fields: [
      'people_amount',
      'priority',
      'bind_dn',
      'search_ou',
      'search_filter',
      'group_search_ou',
      'existing_only',
      'sync_is_periodic',
      'sync_crontab',
      'sync_interval',
      'comment',
    ],
    tabs: [{ name: 'People', title: msg('Bulk import'), component: DirectoryUsers }],
    quickActions: [
      activeAction(directory, { run: switchPeople(directory) }),
      { name: 'test', title: msg('Test login'), button: msg('Test'), run: tryLogin },
    ],
  },
})

export const pages = { Directory: directoryPages }
