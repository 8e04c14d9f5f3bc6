import type { PageProps } from '../../app/registry.ts'
import { lazily } from '../../generic/lazily.tsx'

/** Title and pictures of the installation (spec A2.59). */
export const InterfaceSetting = lazily<PageProps>(() => import('./InterfaceSettingBody.tsx').then((m) => m.InterfaceSettingBody))
