import { lazily } from '../../design/lazily.tsx'
import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'

/** People come to these from another program, and need nothing else of these pages. */
export const routes = places(
  {
    name: 'ConfirmSignIn',
    menu: 'common',
    title: msg('Confirm a sign-in'),
    path: '/confirm-sign-in',
    hidden: true,
    bits: 0,
    cache: false,
  },
  {
    name: 'ConnectAgent',
    menu: 'common',
    title: msg('Connect an agent'),
    path: '/connect-agent',
    hidden: true,
    bits: 0,
    cache: false,
  },
)

const ConfirmSignIn = lazily<PageProps>(() =>
  import('./confirm-sign-in/ConfirmSignIn.tsx').then((m) => m.ConfirmSignIn),
)
const ConnectAgent = lazily<PageProps>(() => import('./connect-agent/ConnectAgent.tsx').then((m) => m.ConnectAgent))

export const pages = { ConfirmSignIn, ConnectAgent }
