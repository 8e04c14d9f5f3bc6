/** Calls of the LDAP tab (B7.10 to B7.14). */
import { ApiError, api, errorText } from '../../../lib/api.ts'
import type { TestOutcome } from '../use-settings-test.ts'

const TESTING = '/api/v1/settings/ldap/testing/'
/** Reading a large directory takes longer than other calls. */
const TIMEOUT_MS = 6 * 60_000

/** Both tests answer a bare text, good or bad. */
export async function testLdap(what: 'config' | 'login', body: object): Promise<TestOutcome> {
  try {
    return {
      good: true,
      text: await api.post<string>(`${TESTING}${what}/`, body, { quiet: true, timeout: TIMEOUT_MS }),
    }
  } catch (error) {
    const answer = error instanceof ApiError ? error.body : undefined
    return { good: false, text: typeof answer === 'string' ? answer : errorText(error) }
  }
}

/**
 * Imports those people of a list, or everybody. Returns what the server says; throws one text of all that
 * went wrong.
 */
export async function importUsers(list: string, usernames: readonly string[]): Promise<string> {
  try {
    const { msg } = await api.post<{ msg: string }>(
      `${list}import/`,
      { username_list: usernames },
      { quiet: true, timeout: TIMEOUT_MS },
    )
    return msg
  } catch (error) {
    const { errors } = (error instanceof ApiError ? (error.body as { errors?: unknown } | undefined) : undefined) ?? {}
    if (!Array.isArray(errors)) throw new Error(errorText(error), { cause: error })
    const lines = (errors as Record<string, string>[]).flatMap((one) =>
      Object.entries(one).map(([name, text]) => `${name}: ${text}`),
    )
    throw new Error(lines.join('\n'), { cause: error })
  }
}
