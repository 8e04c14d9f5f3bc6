import { lazily } from '../../design/lazily.tsx'
import type { PageProps } from '../registry.ts'

/** Title and pictures of the installation (spec A2.59). */
export const InterfaceSetting = lazily<PageProps>(() => import('./InterfaceSettingBody.tsx').then((m) => m.InterfaceSettingBody))
