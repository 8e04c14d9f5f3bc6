import { Filter, FilterParser } from 'ldapts'
import { LdapFailure } from './ldap-failure.ts'

/** Where the name of a person stands in the filter of the settings. */
const USER = '%(user)s'

/**
 * The filter that finds one person, whatever characters stand in the name; without a name,
 * everybody. Throws LdapFailure when the settings hold no filter.
 */
export function searchFilter(template: string, username?: string): Filter {
  const name = username === undefined ? '*' : Filter.escape(username)
  try {
    // A function: `$&` in a name must not be read as a pattern.
    return FilterParser.parseString(template.trim().replaceAll(USER, () => name))
  } catch (error) {
    throw new LdapFailure(
      'The user search filter is not valid ({{detail}})',
      { detail: (error as Error).message.slice(0, 200) },
      error,
    )
  }
}
