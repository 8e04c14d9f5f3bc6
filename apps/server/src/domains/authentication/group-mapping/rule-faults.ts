import { FURTHER_FIELDS } from '@sallyport/contract/resources/authentication/group-mapping.ts'
import type { GroupSource } from '../outside-source.ts'
import { parseDn } from './dn.ts'
import type { Rule } from './matching.ts'
import { isDirectory, isMessenger } from './stored-rules.ts'

interface Judged extends Pick<Rule, 'match' | 'value' | 'org_role' | 'system_role'> {
  source: GroupSource
  hasGroups: boolean
  further: FurtherMeant
}

/**
 * Whether it names a directory or provider besides that of the settings, and whether it holds for all, by
 * the fields of the rule.
 */
export type FurtherMeant = { readonly [K in OneField]?: string | null } & { readonly [K in AllField]?: boolean }
type OneField = (typeof FURTHER_FIELDS)[keyof typeof FURTHER_FIELDS]['one']
type AllField = (typeof FURTHER_FIELDS)[keyof typeof FURTHER_FIELDS]['all']

/** A star that is escaped would be one of the pattern all the same. */
const ESCAPED_STAR = /\\(?:2a|\*)/i

const WORDS = {
  directory: {
    foreign: 'Only people of LDAP come from a directory',
    both: 'The rule holds for all directories: name none',
    admin: 'Only a rule for one directory makes system administrators',
  },
  provider: {
    foreign: 'This provider has people of another source',
    both: 'The rule holds for all providers: name none',
    admin: 'Only a rule for one provider makes system administrators',
  },
}

function furtherFaults(source: GroupSource, role: Rule['system_role'], further: FurtherMeant): [string, string][] {
  return Object.entries(FURTHER_FIELDS).flatMap(([kind, { one, all }]) => {
    const words = WORDS[kind === 'ldap' ? 'directory' : 'provider']
    const faults: [string, string][] = []
    if (source !== kind && (further[one] || further[all])) faults.push([one, words.foreign])
    if (further[one] && further[all]) faults.push([one, words.both])
    // So that the operator of one directory or provider makes no administrators by the rules for another.
    if (role === 'Admin' && further[all]) faults.push(['system_role', words.admin])
    return faults
  })
}

/** The faults of a rule by field, as English texts. */
export function ruleFaults({
  source,
  match,
  value,
  org_role,
  system_role,
  hasGroups,
  further,
}: Judged): [string, string][] {
  const faults = furtherFaults(source, system_role, further)
  const isName = isDirectory(source) || match === 'subtree'
  if (match !== 'everybody') {
    if (!value) faults.push(['value', 'This field is required.'])
    else if (isName && !parseDn(value))
      faults.push(['value', 'This is no DN, such as cn=ops,ou=groups,dc=example,dc=org'])
    else if (match === 'pattern' && !value.includes('*'))
      faults.push(['value', 'A pattern has a *, which stands for any text'])
    else if (match === 'pattern' && ESCAPED_STAR.test(value)) faults.push(['value', 'A pattern cannot mean a * itself'])
    else if (match === 'pattern' && /^[*\s]*$/.test(value))
      faults.push(['value', 'This means every group: choose everybody of the source'])
  }
  // People bind messengers by themselves: no administrator has said that the account there is theirs.
  if (system_role === 'Admin' && isMessenger(source))
    faults.push(['system_role', 'Departments of a messenger make no system administrators'])
  // The group is named, so that nobody outside can make up one that fits.
  if (system_role === 'Admin' && match !== 'exact')
    faults.push(['system_role', 'Only a rule that names one group makes system administrators'])
  if (hasGroups && org_role === 'none')
    faults.push(['org_role', 'Members of a user group are members of its organization'])
  if (!hasGroups && org_role === 'none' && system_role === 'User') faults.push(['org_role', 'This rule gives nothing'])
  return faults
}
