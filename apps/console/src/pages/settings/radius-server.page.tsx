import { type RadiusServer, radiusServer } from '@sallyport/contract/resources/authentication/radius-server.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { activeAction } from '../active-action.ts'
import { lifeStates } from '../row-states.ts'
import { furtherPlaces } from './further/further-places.ts'
import { ProviderTest, testField } from './further/ProviderTest.tsx'
import { switchPeople } from './further/switch-people.ts'

export const routes = furtherPlaces('RadiusServer', '/settings/radius-servers', {
  List: msg('RADIUS servers'),
  Create: msg('Create RADIUS server'),
  Update: msg('Update RADIUS server'),
  Detail: msg('RADIUS server detail'),
})

const RadiusTest = () => <ProviderTest of={radiusServer} />

/** RADIUS servers beside the one of the settings, each with its own people. */
export const radiusServerPages = definePages<RadiusServer>(radiusServer, {
  list: {
    columns: [
      'name',
      'host',
      'port',
      'name_suffix',
      'priority',
      { field: 'people_amount', align: 'right' },
      'is_active',
      'date_created',
      'created_by',
      'comment',
    ],
    defaultColumns: ['name', 'host', 'name_suffix', 'priority', 'people_amount', 'is_active'],
    lead: msg(
      'Each has its own people. A new name is asked at the one of the settings first, then at each in turn until one takes the password.',
    ),
    none: msg('There is no RADIUS server beside that of the settings'),
    hasSelection: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'priority', 'is_active'] },
      {
        title: msg('Server'),
        fields: [{ name: 'host', placeholder: 'radius.example.com' }, 'port', 'secret', testField(RadiusTest)],
      },
      {
        title: msg('People of the server'),
        fields: [{ name: 'name_suffix', placeholder: '@partner.example' }, 'existing_only'],
      },
      { title: msg('Other'), folded: true, fields: ['comment'] },
    ],
  },
  detail: {
    states: (row) => lifeStates(row),
    lead: (row) => [`${row.host}:${row.port}`],
    fields: ['people_amount', 'priority', 'name_suffix', 'existing_only', 'comment'],
    quickActions: [activeAction(radiusServer, { run: switchPeople(radiusServer) })],
  },
})

export const pages = { RadiusServer: radiusServerPages }
