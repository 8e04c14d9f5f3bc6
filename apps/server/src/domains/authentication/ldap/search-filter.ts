import { Filter, FilterParser } from 'ldapts'
import { LdapFailure } from './ldap-failure.ts'

/** Placeholder for the user name in the filter of the settings. */
const USER = '%(user)s'

/**
 * The filter that finds one person, with any characters in the name escaped; without a name,
 * everybody. Throws LdapFailure when the setting is not a valid filter.
 */
export function searchFilter(template: string, username?: string): Filter {
  const name = username === undefined ? '*' : Filter.escape(username)
  try {
    // A function, since `replaceAll` would expand `$&` in a name.
    return FilterParser.parseString(template.trim().replaceAll(USER, () => name))
  } catch (error) {
    throw new LdapFailure(
      'The user search filter is not valid ({{detail}})',
      { detail: (error as Error).message.slice(0, 200) },
      error,
    )
  }
}
