import { PERMISSION } from '@sallyport/contract/access.ts'
import { lazily } from '../../design/lazily.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'

export const routes = places({
  name: 'InterfaceSetting',
  menu: 'xpack',
  order: 10,
  title: msg('Interface settings'),
  path: '/xpack/interface-setting',
  bits: PERMISSION.super,
  license: true,
})

/** Title and pictures of the installation (A2.59). */
export const InterfaceSetting = lazily<PageProps>(
  () => import('./InterfaceSettingBody.tsx').then((m) => m.InterfaceSettingBody),
  <Skeleton lines={8} />,
)

export const pages = { InterfaceSetting }
