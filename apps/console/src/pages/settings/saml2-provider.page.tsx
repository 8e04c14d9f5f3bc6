import { type Saml2Provider, saml2Provider } from '@sallyport/contract/resources/authentication/saml2-provider.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { activeAction } from '../active-action.ts'
import { lifeStates } from '../row-states.ts'
import { furtherPlaces } from './further/further-places.ts'
import { ProviderTest, testField } from './further/ProviderTest.tsx'
import { switchPeople } from './further/switch-people.ts'

export const routes = furtherPlaces('Saml2Provider', '/settings/saml2-providers', {
  List: msg('SAML2 providers'),
  Create: msg('Create SAML2 provider'),
  Update: msg('Update SAML2 provider'),
  Detail: msg('SAML2 provider detail'),
})

const Saml2Test = () => <ProviderTest of={saml2Provider} />

/** SAML2 providers beside the one of the settings, each with its own people. */
export const saml2ProviderPages = definePages<Saml2Provider>(saml2Provider, {
  list: {
    columns: [
      'name',
      'metadata_url',
      'priority',
      { field: 'people_amount', align: 'right' },
      'is_active',
      'date_created',
      'created_by',
      'comment',
    ],
    defaultColumns: ['name', 'metadata_url', 'priority', 'people_amount', 'is_active'],
    lead: msg(
      'Each has a button on the sign-in page, after the one of the settings, and its own people: nobody of another is taken over.',
    ),
    none: msg('There is no SAML2 provider beside that of the settings'),
    hasSelection: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'priority', 'is_active'] },
      {
        title: msg('Provider'),
        lead: msg('Saving shows the addresses that the provider needs.'),
        fields: [
          { name: 'metadata_url', placeholder: 'https://idp.example.com/metadata' },
          { name: 'metadata_xml', widget: 'key-file' },
          testField(Saml2Test),
        ],
      },
      {
        title: msg('People of the provider'),
        fields: [
          { name: 'rename_attributes', widget: 'json' },
          'groups_attribute',
          'existing_only',
          'always_update_user',
          'logout_completely',
        ],
      },
      {
        title: msg('Certificate'),
        folded: true,
        fields: [
          { name: 'sp_key', widget: 'key-file' },
          { name: 'sp_certificate', widget: 'key-file' },
        ],
      },
      { title: msg('Other'), folded: true, fields: [{ name: 'advanced_settings', widget: 'json' }, 'comment'] },
    ],
  },
  detail: {
    states: (row) => lifeStates(row),
    lead: (row) => [row.metadata_url],
    fields: [
      { field: 'sp_metadata_url', copy: true },
      { field: 'entity_id', copy: true },
      { field: 'callback_url', copy: true },
      { field: 'logout_url', copy: true },
      'people_amount',
      'priority',
      'groups_attribute',
      'existing_only',
      'logout_completely',
      'comment',
    ],
    quickActions: [activeAction(saml2Provider, { run: switchPeople(saml2Provider) })],
  },
})

export const pages = { Saml2Provider: saml2ProviderPages }
