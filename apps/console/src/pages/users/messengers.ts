import type { User } from '@sallyport/contract/resources/users/user.ts'
import type { QuickAction } from '../../generic/view/actions.ts'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { session } from '../../session/session.ts'
import { confirmAndCall } from './confirm-and-call.ts'
import { mayChangePerson } from './shared-person.ts'

/**
 * What people may be bound to, with the public setting that turns it on
 * (docs/rules/users.md#messengers).
 */
export const MESSENGERS = [
  { name: 'wecom', title: msg('WeCom'), setting: 'AUTH_WECOM', own: msg('WeCom sign-in') },
  { name: 'dingtalk', title: msg('DingTalk'), setting: 'AUTH_DINGTALK', own: msg('DingTalk sign-in') },
  { name: 'feishu', title: msg('FeiShu'), setting: 'AUTH_FEISHU', own: msg('FeiShu sign-in') },
] as const
export type MessengerName = (typeof MESSENGERS)[number]['name']

export const isBound = (row: Readonly<Record<string, unknown>>, name: MessengerName): boolean =>
  row[`is_${name}_bound`] === true

export const unbindPath = (name: MessengerName, user = '') =>
  `/api/v1/authentication/${name}/qr/unbind/${user && `${user}/`}`

const UNBIND = { wecom: msg('Unbind WeCom'), dingtalk: msg('Unbind DingTalk'), feishu: msg('Unbind FeiShu') }

/**
 * For administrators, on the page of a person who is bound; their own binding is on their profile,
 * behind their password.
 */
export const unbindActions: readonly QuickAction<User>[] = MESSENGERS.map(({ name, title }) => ({
  name: `unbind-${name}`,
  title: UNBIND[name],
  button: msg('Unbind'),
  has: (row) => isBound(row, name) && row.id !== session().profile.id,
  can: mayChangePerson,
  run: (row) =>
    confirmAndCall(
      {
        title: t('Unbind {{name}} from {{messenger}}?', { name: row.name, messenger: t(title) }),
        content: t('They can no longer sign in by its QR code.'),
        okText: t('Unbind'),
      },
      () => api.post(unbindPath(name, row.id)),
      t('Unbound'),
    ),
}))
