import { type OpenidProvider, openidProvider } from '@sallyport/contract/resources/authentication/openid-provider.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormValues, WidgetProps } from '../../generic/view/form-view.ts'
import { msg } from '../../lib/i18n.ts'
import { activeAction } from '../active-action.ts'
import { lifeStates } from '../row-states.ts'
import { furtherPlaces } from './further/further-places.ts'
import { Discovery, discoveryField, ProviderTest, testField } from './further/ProviderTest.tsx'
import { switchPeople } from './further/switch-people.ts'

export const routes = furtherPlaces('OpenidProvider', '/settings/openid-providers', {
  List: msg('OpenID providers'),
  Create: msg('Create OpenID provider'),
  Update: msg('Update OpenID provider'),
  Detail: msg('OpenID provider detail'),
})

const OpenidTest = () => <ProviderTest of={openidProvider} />
const OpenidDiscovery = (props: WidgetProps<FormValues>) => <Discovery {...props} of={openidProvider} />

/** OpenID providers beside the one of the settings, each with its own people. */
export const openidProviderPages = definePages<OpenidProvider>(openidProvider, {
  list: {
    columns: [
      'name',
      'issuer',
      'priority',
      { field: 'people_amount', align: 'right' },
      'is_active',
      'client_id',
      'date_created',
      'created_by',
      'comment',
    ],
    defaultColumns: ['name', 'issuer', 'priority', 'people_amount', 'is_active'],
    lead: msg(
      'Each has a button on the sign-in page, after the one of the settings, and its own people: nobody of another is taken over.',
    ),
    none: msg('There is no OpenID provider beside that of the settings'),
    hasSelection: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'priority', 'is_active'] },
      {
        title: msg('Provider'),
        lead: msg('Saving shows the redirect URI that the provider needs.'),
        fields: [
          { name: 'issuer', placeholder: 'https://login.example.com/' },
          discoveryField(OpenidDiscovery),
          'authorization_endpoint',
          'token_endpoint',
          'jwks_endpoint',
          'userinfo_endpoint',
          'end_session_endpoint',
          'client_id',
          'client_secret',
          'signature_alg',
          { name: 'signature_key', widget: 'textarea', placeholder: '-----BEGIN PUBLIC KEY-----' },
          'ignore_ssl_verification',
          testField(OpenidTest),
        ],
      },
      {
        title: msg('People of the provider'),
        fields: [
          'scopes',
          { name: 'user_attr_map', widget: 'json' },
          'groups_claim',
          'existing_only',
          'always_update_user',
          'email_is_trusted',
          'share_session',
        ],
      },
      {
        title: msg('Other'),
        folded: true,
        fields: ['id_token_max_age', 'id_token_include_claims', 'use_state', 'use_nonce', 'comment'],
      },
    ],
  },
  detail: {
    states: (row) => lifeStates(row),
    lead: (row) => [row.issuer],
    fields: [
      { field: 'callback_url', copy: true },
      { field: 'backchannel_logout_url', copy: true },
      { field: 'frontchannel_logout_url', copy: true },
      'people_amount',
      'priority',
      'client_id',
      'authorization_endpoint',
      'token_endpoint',
      'jwks_endpoint',
      'userinfo_endpoint',
      'end_session_endpoint',
      'signature_alg',
      'scopes',
      'groups_claim',
      'existing_only',
      'comment',
    ],
    quickActions: [activeAction(openidProvider, { run: switchPeople(openidProvider) })],
  },
})

export const pages = { OpenidProvider: openidProviderPages }
