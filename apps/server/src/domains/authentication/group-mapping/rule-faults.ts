import type { GroupSource } from '../outside-source.ts'
import { parseDn } from './dn.ts'
import type { Rule } from './matching.ts'
import { isDirectory, isMessenger } from './stored-rules.ts'

interface Judged extends Pick<Rule, 'match' | 'value' | 'org_role' | 'system_role'> {
  source: GroupSource
  hasGroups: boolean
  /** Whether it names a directory besides that of the settings, and whether it holds for all. */
  directory: string | null
  all_directories: boolean
  /** The same of OpenID providers. */
  openid_provider: string | null
  all_openid_providers: boolean
}

/** A star that is escaped would be one of the pattern all the same. */
const ESCAPED_STAR = /\\(?:2a|\*)/i

/** The faults of a rule by field, as English texts. */
export function ruleFaults({
  source,
  match,
  value,
  org_role,
  system_role,
  hasGroups,
  directory,
  all_directories,
  openid_provider,
  all_openid_providers,
}: Judged): [string, string][] {
  const faults: [string, string][] = []
  if (!isDirectory(source) && (directory || all_directories))
    faults.push(['directory', 'Only people of LDAP come from a directory'])
  if (directory && all_directories) faults.push(['directory', 'The rule holds for all directories: name none'])
  if (source !== 'openid' && (openid_provider || all_openid_providers))
    faults.push(['openid_provider', 'Only people of OpenID come from an OpenID provider'])
  if (openid_provider && all_openid_providers)
    faults.push(['openid_provider', 'The rule holds for all providers: name none'])
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
  // So that the operator of one directory or provider makes no administrators by the rules for another.
  if (system_role === 'Admin' && all_directories)
    faults.push(['system_role', 'Only a rule for one directory makes system administrators'])
  // People bind messengers by themselves: no administrator has said that the account there is theirs.
  if (system_role === 'Admin' && isMessenger(source))
    faults.push(['system_role', 'Departments of a messenger make no system administrators'])
  if (system_role === 'Admin' && all_openid_providers)
    faults.push(['system_role', 'Only a rule for one provider makes system administrators'])
  // The group is named, so that nobody outside can make up one that fits.
  if (system_role === 'Admin' && match !== 'exact')
    faults.push(['system_role', 'Only a rule that names one group makes system administrators'])
  if (hasGroups && org_role === 'none')
    faults.push(['org_role', 'Members of a user group are members of its organization'])
  if (!hasGroups && org_role === 'none' && system_role === 'User') faults.push(['org_role', 'This rule gives nothing'])
  return faults
}
