import { lazily } from '../../design/lazily.tsx'

/** Tabs that remember the active one (spec A2.74); the library's come when they are first drawn. */
export const TabPage = lazily(() => import('./TabPageBody.tsx').then((m) => m.TabPageBody))
