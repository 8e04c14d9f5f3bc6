import { type CasServer, casServer } from '@sallyport/contract/resources/authentication/cas-server.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { activeAction } from '../active-action.ts'
import { lifeStates } from '../row-states.ts'
import { furtherPlaces } from './further/further-places.ts'
import { ProviderTest, testField } from './further/ProviderTest.tsx'
import { switchPeople } from './further/switch-people.ts'

export const routes = furtherPlaces('CasServer', '/settings/cas-servers', {
  List: msg('CAS servers'),
  Create: msg('Create CAS server'),
  Update: msg('Update CAS server'),
  Detail: msg('CAS server detail'),
})

const CasTest = () => <ProviderTest of={casServer} />

/** CAS servers beside the one of the settings, each with its own people. */
export const casServerPages = definePages<CasServer>(casServer, {
  list: {
    columns: [
      'name',
      'server_url',
      'version',
      'priority',
      { field: 'people_amount', align: 'right' },
      'is_active',
      'date_created',
      'created_by',
      'comment',
    ],
    defaultColumns: ['name', 'server_url', 'priority', 'people_amount', 'is_active'],
    lead: msg(
      'Each has a button on the sign-in page, after the one of the settings, and its own people: nobody of another is taken over.',
    ),
    none: msg('There is no CAS server beside that of the settings'),
    hasSelection: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'priority', 'is_active'] },
      {
        title: msg('Server'),
        lead: msg('Saving shows the service that is to be registered there.'),
        fields: [{ name: 'server_url', placeholder: 'https://cas.example.com/cas/' }, 'version', testField(CasTest)],
      },
      {
        title: msg('People of the server'),
        fields: [
          'username_attribute',
          'apply_attributes',
          { name: 'rename_attributes', widget: 'json' },
          'groups_attribute',
          'existing_only',
          'logout_completely',
        ],
      },
      { title: msg('Other'), folded: true, fields: ['comment'] },
    ],
  },
  detail: {
    states: (row) => lifeStates(row),
    lead: (row) => [row.server_url],
    fields: [
      { field: 'service_url', copy: true },
      'people_amount',
      'priority',
      'version',
      'username_attribute',
      'apply_attributes',
      'groups_attribute',
      'existing_only',
      'logout_completely',
      'comment',
    ],
    quickActions: [activeAction(casServer, { run: switchPeople(casServer) })],
  },
})

export const pages = { CasServer: casServerPages }
