import type { OperateLog, OperateLogChange } from '@sallyport/contract/resources/audits/operate-log.ts'
import { language, t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { addressOf } from '../../navigation/routes.ts'

/** A row of the operate log as a sentence whose places are still empty. */
export interface EventWords {
  text: string
  who: string
  /** The kind of object, as it stands within a sentence. */
  kind: string
  what: string
  /** The other end of a link that was made or removed. */
  other?: string
}

/** A link of a permission, written as `left VERB right` (docs/rules/audits.md#operate_log). */
const LINK = /^(.+) (ADD|REMOVE) (.+)$/s

/** Names in a row of a setting; its title is that of its one change. */
const SETTING = 'setting'

/** Kinds whose names carry what tells them apart (`display` of their definitions); those of others may end in parentheses of their own. */
const NAMED_WITH_DETAIL = new Set(['user', 'asset', 'system_user', 'admin_user', 'application'])

const resourceOf = ({ object_type, resource }: OperateLog) =>
  NAMED_WITH_DETAIL.has(object_type ?? '') ? nameOf(resource) : resource

/** Person, action and object. */
export function eventWords(row: OperateLog): EventWords {
  const change = row.changes?.[0] as OperateLogChange | undefined
  const words = { who: nameOf(row.user), kind: withinSentence(row.resource_type_display), what: resourceOf(row) }
  if (row.object_type === SETTING && change) return { ...words, what: change.label, text: textOf(row) }
  const isLink = change && (change.added_amount || change.removed_amount)
  const [, left, verb, right] = (isLink && LINK.exec(row.resource)) || []
  if (left && right && row.action !== 'update')
    return {
      ...words,
      what: left,
      other: right,
      text: verb === 'ADD' ? t('{{who}} added {{other}} to {{what}}') : t('{{who}} removed {{other}} from {{what}}'),
    }
  return { ...words, text: textOf(row) }
}

/** The changed object, with the part that tells it apart from others of its name. */
export const resourceInFull = (row: OperateLog) => (row.object_type === SETTING ? eventWords(row).what : row.resource)

function textOf({ action, changes }: OperateLog): string {
  switch (action) {
    case 'create':
      return t('{{who}} created the {{kind}} {{what}}')
    case 'delete':
      return t('{{who}} deleted the {{kind}} {{what}}')
    case 'export':
      return t('{{who}} exported rows of the kind {{kind}}: {{what}}')
    case 'download':
      return t('{{who}} downloaded the {{kind}} {{what}}')
    default:
      return changes?.length === 0
        ? t('{{who}} saved the {{kind}} {{what}} as it was')
        : t('{{who}} changed the {{kind}} {{what}}')
  }
}

/** "Asset permission" is "asset permission" in a sentence; "SSH key" stays. */
const withinSentence = (label: string) =>
  language() === 'en' && /^.[a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label

/** The first change of an update in words, and how many there are besides. */
export function changesInWords({ action, changes, object_type }: OperateLog): string {
  const [first, ...others] = (changes ?? []) as OperateLogChange[]
  if (!first || action !== 'update') return ''
  const more = others.length ? t(', and {{count}} more', { count: others.length }) : ''
  const words = object_type === SETTING ? valuesInWords(first) : `${first.label} ${valuesInWords(first)}`
  return `${words}${more}`
}

/** "10.0.0.1 → 10.0.0.2", "+ East, West − North", "replaced". */
function valuesInWords(change: OperateLogChange): string {
  const { before, after, is_secret } = change
  if (is_secret) return t('replaced@@secret')
  const links = [listed('+', change.added, change.added_amount), listed('−', change.removed, change.removed_amount)]
  if (change.added_amount || change.removed_amount) return links.filter(Boolean).join(' ')
  return `${shortened(before)} → ${shortened(after)}`
}

const MAX_VALUE = 40

const shortened = (value: string | null) =>
  value === null ? t('empty@@value') : value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value

const NAMED = 2

function listed(sign: string, names: readonly string[], amount: number): string {
  const shown = names.slice(0, NAMED).join(', ')
  if (!amount) return ''
  return `${sign} ${shown}${amount > NAMED ? t(', and {{count}} more', { count: amount - NAMED }) : ''}`
}

/** Pages of kinds that are not called like their resource. */
const PAGE_OF: Readonly<Record<string, string>> = {
  admin_user: 'SystemUser',
  ticket_flow: 'Flow',
  login_acl: 'UserLoginACL',
  login_asset_acl: 'AssetAcl',
}

/** Where the object's page is, if it still exists and the person may open it. */
export function objectAddress({ object_type, object_id, object_exists }: OperateLog): string | undefined {
  if (!object_exists || !object_type || !object_id) return undefined
  if (object_type === SETTING) return addressOf('Settings')
  const page = PAGE_OF[object_type] ?? object_type.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())
  return addressOf(`${page}Detail`, { id: object_id })
}
