import type { Kernel } from '../../../kernel/kernel.ts'
import type { GroupSource } from '../outside-source.ts'
import { boundedGroups } from './apply.ts'

/** Groups as a provider has reported them, or why it is not known which they are. */
export type Reported = readonly string[] | { unknown: string }

type Claims = Readonly<Record<string, unknown>>

/**
 * The groups as they are kept. Undefined, with a line in the log, where they are not known or too many:
 * the gifts of the person's groups stay until the provider says more.
 */
export function keptGroups(
  kernel: Kernel,
  source: GroupSource,
  username: string,
  reported: Reported,
): string[] | undefined {
  const groups = 'unknown' in reported ? undefined : boundedGroups(reported)
  if (!groups)
    kernel.app.log.warn(
      {
        source,
        username: username.slice(0, 128),
        reason: 'unknown' in reported ? reported.unknown : 'there are too many',
      },
      'the groups of a person are not known: what theirs gave before stays',
    )
  return groups
}

/**
 * The groups in a claim, which is a text or a list of texts. It is named as it is, or by a path such as
 * `realm_access.roles`. None where there is no such claim: providers leave it out for people without
 * any.
 */
export function groupsInClaims(claims: Claims, name: string): Reported {
  if (!name) return []
  if (isOverage(claims, name)) return { unknown: 'the provider sends a link in place of so many groups' }
  const value = Object.hasOwn(claims, name) ? claims[name] : alongPath(claims, name.split('.'))
  if (value === undefined || value === null) return []
  const values = [value].flat()
  if (!values.every((one) => typeof one === 'string')) return { unknown: `the claim ${name} is no list of texts` }
  return values
}

/** Whether the token itself says which groups there are, or that they are too many for it. */
export const saysGroups = (claims: Claims, name: string): boolean => {
  const reported = name ? groupsInClaims(claims, name) : []
  return !name || 'unknown' in reported || reported.length > 0
}

/** What Entra ID sends in place of more than 150 groups in an assertion. */
const LINK = 'http://schemas.microsoft.com/claims/groups.link'

/** The groups in the values of an attribute. */
export function groupsInList(lists: Readonly<Record<string, readonly string[]>>, name: string): Reported {
  if (!name) return []
  if (Object.hasOwn(lists, LINK)) return { unknown: 'the provider sends a link in place of so many groups' }
  return (Object.hasOwn(lists, name) && lists[name]) || []
}

/**
 * Entra ID sends `_claim_names` in place of more than 200 groups (the claims of the token would grow too
 * large), and other flows `hasgroups`. Whatever else is there is not all of them.
 */
function isOverage(claims: Claims, name: string): boolean {
  const elsewhere = claims._claim_names
  const [first = ''] = Object.hasOwn(claims, name) ? [name] : name.split('.')
  if (typeof elsewhere === 'object' && elsewhere !== null)
    if (Object.hasOwn(elsewhere, name) || Object.hasOwn(elsewhere, first)) return true
  return first === 'groups' && (claims.hasgroups === true || claims.hasgroups === 'true')
}

/** Own properties alone: a path such as `constructor.name` leads nowhere. */
function alongPath(claims: Claims, path: readonly string[]): unknown {
  let value: unknown = claims
  for (const part of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, part))
      return undefined
    value = (value as Claims)[part]
  }
  return value
}
