import { lazily } from '../../design/lazily.tsx'
import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'

export const routes = places(
  {
    name: 'PersonalInformationImprovement',
    menu: 'common',
    title: msg('First sign-in'),
    path: '/users/first-login/personal-information-improvement/',
    hidden: true,
    bits: 0,
    cache: false,
  },
  {
    name: 'UserGuide',
    menu: 'common',
    title: msg('User guide'),
    path: '/users/first-login/guide/',
    hidden: true,
    bits: 0,
  },
)

/** Everybody comes to these once. */
const load = () => import('./first-login/FirstLogin.tsx')
const FirstLogin = lazily<PageProps>(() => load().then((m) => m.FirstLogin))
const Guide = lazily<PageProps>(() => load().then((m) => m.Guide))

export const pages = { PersonalInformationImprovement: FirstLogin, UserGuide: Guide }
