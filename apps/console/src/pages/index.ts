/** Every page that exists. A route of the menu without a line here is left out of menu and router. */
import './pages.css'
import { type PageRegistry, page, resource } from '../app/registry.ts'

const ALL = ['List', 'Create', 'Update', 'Detail'] as const

export const PAGES: PageRegistry = {
  ...resource('User', ALL, () => import('./users/user.tsx').then((m) => m.userPages)),
  ...resource('UserLoginACL', ['Create', 'Update', 'Detail'], () => import('./acls/login-acl.tsx').then((m) => m.loginAclPages)),
  ...resource('AssetAcl', ALL, () => import('./acls/login-asset-acl.tsx').then((m) => m.loginAssetAclPages)),
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
  ...resource('AssetPermission', ALL, () => import('./perms/asset-permission.tsx').then((m) => m.assetPermissionPages)),
  ...page('MyAssets', () => import('./perms/MyAssets.tsx').then((m) => m.MyAssets)),
  ...page('SessionList', () => import('./terminal/SessionList.tsx').then((m) => m.SessionList)),
  ...resource('Session', ['Detail'], () => import('./terminal/session.tsx').then((m) => m.sessionPages)),
  ...page('CommandList', () => import('./terminal/command.tsx').then((m) => m.CommandList)),
  ...page('LoginLog', () => import('./audits/logs.tsx').then((m) => m.LoginLog)),
  ...resource('SignIn', ['List'], () => import('./audits/sign-ins.tsx').then((m) => m.orgSignInPages)),
  ...page('FtpLog', () => import('./audits/logs.tsx').then((m) => m.FtpLog)),
  ...page('OperateLog', () => import('./audits/logs.tsx').then((m) => m.OperateLog)),
  ...page('PasswordChangeLog', () => import('./audits/logs.tsx').then((m) => m.PasswordChangeLog)),
  ...page('TicketList', () => import('./tickets/TicketList.tsx').then((m) => m.TicketList)),
  ...resource('Ticket', ['Detail'], () => import('./tickets/ticket.tsx').then((m) => m.ticketPages)),
  ...resource('LoginAssetTicket', ['Detail'], () => import('./tickets/ticket.tsx').then((m) => m.ticketPages)),
  ...resource('Organization', ALL, () => import('./orgs/organization.tsx').then((m) => m.organizationPages)),
  ...page('Settings', () => import('./settings/Settings.tsx').then((m) => m.Settings)),
  ...page('InterfaceSetting', () => import('./xpack/InterfaceSetting.tsx').then((m) => m.InterfaceSetting)),
  ...resource('SiteMessage', ['List'], () => import('./notifications/SiteMessageList.tsx').then((m) => m.siteMessagePages)),
  ...page('Dashboard', () => import('./dashboard/Dashboard.tsx').then((m) => m.Dashboard)),
  ...page('CeleryTaskLog', () => import('./ops/TaskLog.tsx').then((m) => m.TaskLog)),
  ...page('TaskLog', () => import('./ops/TaskLog.tsx').then((m) => m.TaskLog)),
}
