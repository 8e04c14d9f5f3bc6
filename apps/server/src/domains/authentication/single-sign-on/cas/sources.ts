/** The CAS servers whose people sign in here: first that of the settings, then the further ones in their order. */
import { type PeopleSource, peopleSources, type SignInPages } from '../../people-sources/sources.ts'
import { authenticationCasServer } from './tables.ts'

export type CasSource = PeopleSource<SignInPages>

const pagesBelow = (place: string): SignInPages => ({ login: `${place}login/`, callback: `${place}callback/` })

export const casSources = peopleSources({
  isOn: 'AUTH_CAS',
  firstName: 'CAS',
  firstPages: pagesBelow('/core/auth/cas/'),
  // The address is the service that a ticket is for, so that a ticket of one server is of no use at another.
  furtherPages: (id) => pagesBelow(`/core/auth/cas/providers/${id}/`),
  table: authenticationCasServer,
  fields: {
    AUTH_CAS: 'is_active',
    CAS_SERVER_URL: 'server_url',
    CAS_VERSION: 'version',
    CAS_USERNAME_ATTRIBUTE: 'username_attribute',
    CAS_APPLY_ATTRIBUTES_TO_USER: 'apply_attributes',
    CAS_RENAME_ATTRIBUTES: 'rename_attributes',
    CAS_GROUPS_ATTRIBUTE: 'groups_attribute',
    CAS_LOGOUT_COMPLETELY: 'logout_completely',
  },
  fixed: { CAS_CREATE_USER: true },
})
