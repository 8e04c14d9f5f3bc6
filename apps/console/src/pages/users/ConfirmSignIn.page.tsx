import { lazily } from '../../design/lazily.tsx'
import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'

export const routes = places({
  name: 'ConfirmSignIn',
  menu: 'common',
  title: msg('Confirm a sign-in'),
  path: '/confirm-sign-in',
  hidden: true,
  bits: 0,
  cache: false,
})

/** People come to it from another program, and need nothing else of these pages. */
const ConfirmSignIn = lazily<PageProps>(() =>
  import('./confirm-sign-in/ConfirmSignIn.tsx').then((m) => m.ConfirmSignIn),
)

export const pages = { ConfirmSignIn }
