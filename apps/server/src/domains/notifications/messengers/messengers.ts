import type { Settings } from '../../settings/index.ts'
import { dingtalk } from './dingtalk.ts'
import { feishu } from './feishu.ts'
import type { App, Messenger, MessengerName } from './messenger.ts'
import { wecom } from './wecom.ts'

/** In the order in which pages show them. */
export const MESSENGERS: Readonly<Record<MessengerName, Messenger>> = { wecom, dingtalk, feishu }

export const messengers: readonly Messenger[] = Object.values(MESSENGERS)

/** Our application at a messenger according to these settings. */
export function appOf({ settings: names }: Messenger, settings: Settings): App {
  const text = (name: keyof Settings | undefined) => (name ? String(settings[name] ?? '') : '')
  const address = (name: keyof Settings) => text(name).replace(/\/+$/, '')
  return {
    id: text(names.id),
    secret: text(names.secret),
    agent: text(names.agent),
    apiUrl: address(names.apiUrl),
    loginUrl: address(names.loginUrl),
  }
}
