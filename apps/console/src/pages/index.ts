/** Every page that exists. A route of the menu without a line here is left out of menu and router. */
import './pages.css'
import { type PageRegistry, page, resource } from '../app/registry.ts'

const ALL = ['List', 'Create', 'Update', 'Detail'] as const

export const PAGES: PageRegistry = {
  ...resource('User', ALL, () => import('./users/user.tsx').then((m) => m.userPages)),
  ...resource('UserGroup', ALL, () => import('./users/group.tsx').then((m) => m.userGroupPages)),
  ...page('UserProfile', () => import('./users/Profile.tsx').then((m) => m.Profile)),
  ...page('PersonalInformationImprovement', () => import('./users/FirstLogin.tsx').then((m) => m.FirstLogin)),
  ...page('UserGuide', () => import('./users/FirstLogin.tsx').then((m) => m.Guide)),
  ...resource('Asset', ALL, () => import('./assets/asset.tsx').then((m) => m.assetPages)),
  ...page('AssetMoreInformationEdit', () => import('./assets/AssetMore.tsx').then((m) => m.AssetMore)),
  ...resource('Domain', ALL, () => import('./assets/domain.tsx').then((m) => m.domainPages)),
  ...resource('Gateway', ['Create', 'Update'], () => import('./assets/gateway.tsx').then((m) => m.gatewayPages)),
  ...page('SystemUserList', () => import('./assets/SystemUserList.tsx').then((m) => m.SystemUserList)),
  ...resource('SystemUser', ['Create', 'Update', 'Detail'], () => import('./assets/system-user.tsx').then((m) => m.systemUserPages)),
  ...resource('Platform', ALL, () => import('./assets/platform.tsx').then((m) => m.platformPages)),
  ...resource('Label', ['List', 'Create', 'Update'], () => import('./assets/label.tsx').then((m) => m.labelPages)),
}
