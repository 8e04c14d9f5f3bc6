import { directory } from '@sallyport/contract/resources/authentication/directory.ts'
import { api } from '../../../lib/api.ts'
import { type TestOutcome, testSettings } from '../use-settings-test.ts'
import { testLdap } from './ldap-calls.ts'

interface Login {
  username: string
  password: string
}

/** A directory: where its people are listed, and how a sign-in by it is tried. */
export interface DirectoryPlace {
  /** Address of the list of its people. */
  users: string
  /** Lets the server read the directory again. */
  refresh: () => Promise<unknown>
  testLogin: (login: Login) => Promise<TestOutcome>
}

const USERS = '/api/v1/settings/ldap/users/'

/** The directory of the settings. */
export const FIRST_DIRECTORY: DirectoryPlace = {
  users: USERS,
  refresh: () => api.get('/api/v1/settings/ldap/cache/refresh/', { quiet: true }),
  testLogin: (login) => testLdap('login', login),
}

/** One of the others. */
export function furtherDirectory(id: string): DirectoryPlace {
  const address = `${directory.path}${id}/`
  return {
    users: `${address}users/`,
    refresh: () => api.post(`${address}users/refresh/`, {}, { quiet: true }),
    testLogin: (login) => testSettings(`${address}test-sign-in/`, login),
  }
}
