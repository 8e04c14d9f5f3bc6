/** Memberships and roles that a group mapping gave: they are changed at their source alone. */
import { groupMapping } from '@sallyport/contract/resources/authentication/group-mapping.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import type { FormContext } from '../../../generic/view/form-view.ts'
import type { Row } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'

const SOURCES: Readonly<Record<string, string>> = {
  ...groupMapping.fields.source.choices,
  ...user.fields.source.choices,
}
/** Messengers that a person of any source may have bound. */
const MESSENGERS = ['wecom', 'dingtalk', 'feishu'] as const

const sourceName = (source: unknown) => t(SOURCES[String(source)] ?? String(source))

/** Why somebody here does not change what this source has given; undefined where nothing did. */
export function givenWords(source: unknown): string | undefined {
  if (!source) return undefined
  return t('Comes from {{provider}} and is changed there', { provider: sourceName(source) })
}

/** Whether the system role of the person comes from outside. */
export const isRoleGiven = ({ mode, row }: FormContext): boolean => mode === 'update' && Boolean(row?.role_given_by)

/** Help under the system role, where it comes from outside. */
export function givenRoleHelp(context: FormContext): { help?: string } {
  const help = isRoleGiven(context) ? givenWords(context.row?.role_given_by) : undefined
  return help ? { help } : {}
}

/** The names of groups of the person that come from outside, behind why they stay. */
export function givenGroupsHelp({ mode, row }: FormContext): { help?: string } {
  const given = mode === 'update' && isList(row?.given_groups) ? row.given_groups.length : 0
  // What local people have comes from a messenger.
  const messenger = MESSENGERS.find((name) => row?.[`is_${name}_bound`])
  const why = given ? givenWords(row?.source === 'local' && messenger ? messenger : row?.source) : undefined
  return why ? { help: t('{{count|group|groups}} of these: {{why}}', { count: given, why }) } : {}
}

/** The roles in the organization that come from outside. */
export const givenRoles = ({ mode, row }: FormContext): readonly string[] =>
  mode === 'update' && isList(row?.given_org_roles) ? row.given_org_roles : []

/** The members of a group that come from outside. */
export const givenMembers = ({ mode, row }: FormContext): readonly string[] =>
  mode === 'update' && isList(row?.given_users) ? row.given_users : []

/** Under the members of a group: how many come from outside, and from where. */
export function givenMembersHelp(context: FormContext): { help?: string } {
  const { length: count } = givenMembers(context)
  const sources = isList(context.row?.given_by) ? context.row.given_by : []
  if (!count) return {}
  const provider = sources.map(sourceName).join(', ')
  return { help: t('{{count|member|members}} from {{provider}}, changed there alone', { count, provider }) }
}

const isList = (value: unknown): value is string[] => Array.isArray(value)

/** Why a membership that is listed can't be taken away here. */
export const whyKept = (row: Row): string | undefined => givenWords(row.given_by)
