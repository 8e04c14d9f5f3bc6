/** Actions of the command palette beside going to a page: create, connect, sign out. */
import { WIRE } from '@sallyport/contract/constants.ts'
import { t } from '../../lib/i18n.ts'
import type { MenuEntry } from '../../navigation/menu-entry.ts'
import { addressOf, baseName, pageRoutes } from '../../navigation/routes.ts'
import { mayLeave } from '../../navigation/unsaved.ts'
import type { Hit } from './hit.ts'

const ACTIONS_SHOWN = 5
/** The word that asks for a connection, in either language, and the target behind it. */
const CONNECT = /^(?:connect(?:\s+to)?|连接(?:到)?)\s+(\S.*)$/i

/** The words of a target that somebody wants to connect to; undefined where they want something else. */
export const wantedTarget = (words: string): string | undefined => CONNECT.exec(words)?.[1]

/** The web terminal on an asset. */
export const connectionTo = (asset: string) => `${WIRE.webTerminalBase}?login_to=${encodeURIComponent(asset)}`

/** Actions whose words hold every word that is typed; none while nothing is typed. */
export function findActions(menu: readonly MenuEntry[], words: string): Hit[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return []
  const all: (Hit & { english: string })[] = [
    ...pageRoutes(menu)
      // Others are made on the page of what they belong to.
      .filter(({ name, path }) => name.endsWith('Create') && !path.includes(':') && addressOf(`${baseName(name)}List`))
      .map(({ title, path }) => ({ title: t(title), english: title, kind: t('Action@@palette'), address: path })),
    {
      title: t('Connect to …'),
      english: 'connect to',
      kind: t('Action@@palette'),
      address: 'connect',
      fills: t('connect@@palette'),
    },
    {
      title: t('Sign out'),
      english: 'sign out log out',
      kind: t('Action@@palette'),
      address: 'sign-out',
      run: async () => {
        if (await mayLeave())
          location.assign(`/core/auth/logout/?next=${encodeURIComponent(location.pathname + location.search)}`)
      },
    },
  ]
  return all
    .filter(({ title, english }) => wanted.every((word) => `${title} ${english}`.toLowerCase().includes(word)))
    .slice(0, ACTIONS_SHOWN)
    .map(({ english: _, ...hit }) => hit)
}
