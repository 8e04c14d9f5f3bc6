/**
 * Every page of the console and its place in the menu, as data (contract/console-shell.yaml). Pages that the page registry does not have are left out.
 * Each route states its bits or takes its group's: falling back to admin would lock auditors out of session details (spec A6.18, notes 1.1).
 */
import { PERMISSION } from '@sallyport/contract/access.ts'
import { WIRE } from '@sallyport/contract/constants.ts'
import { msg } from '../lib/i18n.ts'
import type { PublicSettings } from '../session/session.ts'

export interface MenuEntry {
  title: string
  /** Route below /ui, or an outside address when `external`. */
  path: string
  /** Route name; names end in List, Create, Update or Detail (spec B2.01). Groups have none. */
  name?: string
  icon?: string
  /** All of these bits are needed; a child without them takes its group's. */
  bits?: number
  /** Not in the menu, but reachable. */
  hidden?: boolean
  /** Needs a valid licence. */
  license?: boolean
  /** A group with one visible child stays a group. */
  alwaysShow?: boolean
  /** Opens in a new browser tab. */
  external?: boolean
  /** The menu entry to light up while this page is open. */
  active?: string
  /** Takes the route away altogether. */
  removed?: (settings: PublicSettings) => boolean
  /** Drawn without sidebar and top bar. */
  bare?: boolean
  /** Its tab is always open. */
  affix?: boolean
  /** False draws the page anew each time its tab is chosen; forms are by themselves. */
  cache?: boolean
  children?: readonly MenuEntry[]
}

const { admin, audit, super: superBit, use } = PERMISSION

/** What is asked for, and the page of one ticket by its kind; kinds without one of their own share the plain one (contract/tickets.yaml `detail`). */
const ticketPages = (bits: number, active: string): MenuEntry[] => {
  const shared = { hidden: true, bits, active }
  const detail = { ...shared, title: msg('Ticket detail') }
  return [
    {
      ...shared,
      title: msg('Ticket create'),
      path: '/tickets/tickets/request-asset-perm/create',
      name: 'RequestAssetPermTicketCreateUpdate',
    },
    { ...detail, path: '/tickets/tickets/request-asset-perm/:id', name: 'AssetsTicketDetail' },
    { ...detail, path: '/tickets/tickets/login-asset-confirm/:id', name: 'LoginAssetTicketDetail' },
    { ...shared, title: msg('Command confirm@@page'), path: '/tickets/tickets/command-confirm/:id', name: 'CommandConfirmDetail' },
    { ...detail, path: '/tickets/tickets/:id', name: 'TicketDetail' },
  ]
}

/** Who decides on what people ask for: written by system administrators only (spec notes 1.19). */
const flowPages: readonly MenuEntry[] = [
  { title: msg('Create ticket flow'), path: '/tickets/flows/create', name: 'TicketFlowCreate', bits: superBit },
  { title: msg('Update ticket flow'), path: '/tickets/flows/:id/update', name: 'TicketFlowUpdate', bits: superBit },
  { title: msg('Ticket flow'), path: '/tickets/tickets/flow/:id', name: 'FlowDetail', bits: audit },
].map((page) => ({ ...page, hidden: true, active: '/tickets/tickets' }))

export const ADMIN_MENU: readonly MenuEntry[] = [
  { title: msg('Dashboard'), icon: 'dashboard', path: '/dashboard', name: 'Dashboard', bits: audit, affix: true },
  {
    title: msg('Users'),
    icon: 'users',
    path: '/users',
    bits: admin,
    children: [
      { title: msg('Users@@list'), path: '/users/users', name: 'UserList' },
      { title: msg('User create'), path: '/users/users/create', name: 'UserCreate', hidden: true, active: '/users/users' },
      { title: msg('User update'), path: '/users/users/:id/update', name: 'UserUpdate', hidden: true, active: '/users/users' },
      { title: msg('User detail'), path: '/users/users/:id', name: 'UserDetail', hidden: true, active: '/users/users' },
      {
        title: msg('User login rule create'),
        path: '/users/user-login-acl/create',
        name: 'UserLoginACLCreate',
        hidden: true,
        active: '/users/users',
      },
      {
        title: msg('User login rule update'),
        path: '/users/user-login-acl/:id/update',
        name: 'UserLoginACLUpdate',
        hidden: true,
        active: '/users/users',
      },
      {
        title: msg('User login rule'),
        path: '/users/user-login-acl/:id',
        name: 'UserLoginACLDetail',
        hidden: true,
        active: '/users/users',
      },
      { title: msg('User Groups'), path: '/users/groups', name: 'UserGroupList' },
      { title: msg('User group create'), path: '/users/groups/create', name: 'UserGroupCreate', hidden: true, active: '/users/groups' },
      { title: msg('User group update'), path: '/users/groups/:id/update', name: 'UserGroupUpdate', hidden: true, active: '/users/groups' },
      { title: msg('User group detail'), path: '/users/groups/:id', name: 'UserGroupDetail', hidden: true, active: '/users/groups' },
    ],
  },
  {
    title: msg('Assets'),
    icon: 'assets',
    path: '/assets',
    bits: admin,
    children: [
      { title: msg('Assets@@list'), path: '/assets/assets', name: 'AssetList' },
      { title: msg('Asset create'), path: '/assets/assets/create', name: 'AssetCreate', hidden: true, active: '/assets/assets' },
      { title: msg('Asset detail'), path: '/assets/assets/:id', name: 'AssetDetail', hidden: true, active: '/assets/assets' },
      { title: msg('Asset update'), path: '/assets/assets/:id/update', name: 'AssetUpdate', hidden: true, active: '/assets/assets' },
      {
        title: msg('Update more detail'),
        path: '/assets/assets/detail/:id/update',
        name: 'AssetMoreInformationEdit',
        hidden: true,
        active: '/assets/assets',
      },
      { title: msg('Domains'), path: '/assets/domains', name: 'DomainList' },
      { title: msg('Domain create'), path: '/assets/domains/create', name: 'DomainCreate', hidden: true, active: '/assets/domains' },
      { title: msg('Domain update'), path: '/assets/domains/:id/update', name: 'DomainUpdate', hidden: true, active: '/assets/domains' },
      { title: msg('Domain detail'), path: '/assets/domains/:id', name: 'DomainDetail', hidden: true, active: '/assets/domains' },
      { title: msg('Gateway create'), path: '/assets/gateways/create', name: 'GatewayCreate', hidden: true, active: '/assets/domains' },
      { title: msg('Gateway update'), path: '/assets/gateways/:id/update', name: 'GatewayUpdate', hidden: true, active: '/assets/domains' },
      { title: msg('System Users'), path: '/assets/system-users', name: 'SystemUserList' },
      {
        title: msg('System user create'),
        path: '/assets/system-users/create',
        name: 'SystemUserCreate',
        hidden: true,
        active: '/assets/system-users',
      },
      {
        title: msg('System user update'),
        path: '/assets/system-users/:id/update',
        name: 'SystemUserUpdate',
        hidden: true,
        active: '/assets/system-users',
      },
      {
        title: msg('System user detail'),
        path: '/assets/system-users/:id',
        name: 'SystemUserDetail',
        hidden: true,
        active: '/assets/system-users',
      },
      { title: msg('Platforms'), path: '/assets/platforms', name: 'PlatformList', bits: superBit },
      {
        title: msg('Platform create'),
        path: '/assets/platforms/create',
        name: 'PlatformCreate',
        hidden: true,
        bits: superBit,
        active: '/assets/platforms',
      },
      {
        title: msg('Platform update'),
        path: '/assets/platforms/:id/update',
        name: 'PlatformUpdate',
        hidden: true,
        bits: superBit,
        active: '/assets/platforms',
      },
      {
        title: msg('Platform detail'),
        path: '/assets/platforms/:id',
        name: 'PlatformDetail',
        hidden: true,
        bits: superBit,
        active: '/assets/platforms',
      },
      { title: msg('Labels'), path: '/assets/labels', name: 'LabelList' },
      { title: msg('Label create'), path: '/assets/labels/create', name: 'LabelCreate', hidden: true, active: '/assets/labels' },
      { title: msg('Label update'), path: '/assets/labels/:id/update', name: 'LabelUpdate', hidden: true, active: '/assets/labels' },
    ],
  },
  {
    title: msg('Permissions'),
    icon: 'permissions',
    path: '/perms',
    bits: admin,
    alwaysShow: true,
    children: [
      { title: msg('Asset Permissions'), path: '/perms/asset-permissions', name: 'AssetPermissionList' },
      {
        title: msg('Asset permissions create'),
        path: '/perms/asset-permissions/create',
        name: 'AssetPermissionCreate',
        hidden: true,
        active: '/perms/asset-permissions',
      },
      // Singular, as existing links have it; the plural form leads here too (spec A2.32).
      {
        title: msg('Asset permissions update'),
        path: '/perms/asset-permission/:id/update',
        name: 'AssetPermissionUpdate',
        hidden: true,
        active: '/perms/asset-permissions',
      },
      {
        title: msg('Asset permissions detail'),
        path: '/perms/asset-permissions/:id',
        name: 'AssetPermissionDetail',
        hidden: true,
        active: '/perms/asset-permissions',
      },
    ],
  },
  {
    title: msg('Access Control'),
    icon: 'access-control',
    path: '/acl',
    bits: admin,
    license: true,
    children: [
      { title: msg('Asset Acl'), path: '/acl/asset-acl', name: 'AssetAclList', license: true },
      { title: msg('Asset acl create'), path: '/acl/asset-acl/create', name: 'AssetAclCreate', hidden: true, active: '/acl/asset-acl' },
      { title: msg('Asset acl update'), path: '/acl/asset-acl/:id/update', name: 'AssetAclUpdate', hidden: true, active: '/acl/asset-acl' },
      { title: msg('Asset acl detail'), path: '/acl/asset-acl/:id', name: 'AssetAclDetail', hidden: true, active: '/acl/asset-acl' },
    ],
  },
  {
    title: msg('Sessions'),
    icon: 'sessions',
    path: '/terminal',
    bits: audit,
    children: [
      { title: msg('Sessions'), path: '/terminal/sessions', name: 'SessionList' },
      { title: msg('Session detail'), path: '/terminal/sessions/:id', name: 'SessionDetail', hidden: true, active: '/terminal/sessions' },
      { title: msg('Commands'), path: '/terminal/commands', name: 'CommandList' },
      { title: msg('Web Terminal'), path: WIRE.webTerminalBase, name: 'WebTerminal', external: true },
      { title: msg('File Manager'), path: WIRE.fileManagerBase, name: 'FileManager', external: true },
    ],
  },
  {
    title: msg('Audits'),
    icon: 'audits',
    path: '/audits',
    bits: audit,
    children: [
      { title: msg('Login Logs'), path: '/audits/login-log', name: 'LoginLog' },
      { title: msg('Sign-ins'), path: '/audits/sign-ins', name: 'SignInList' },
      { title: msg('FTP Logs'), path: '/audits/ftp-log', name: 'FtpLog' },
      { title: msg('Operation Logs'), path: '/audits/operate-log', name: 'OperateLog' },
      { title: msg('Password Update Logs'), path: '/audits/password-change-log', name: 'PasswordChangeLog' },
    ],
  },
  // Reached by the link in the top bar, not by the sidebar.
  {
    title: msg('Tickets'),
    path: '/tickets',
    bits: audit,
    license: true,
    removed: ({ TICKETS_ENABLED }) => TICKETS_ENABLED === false,
    children: [
      { title: msg('Tickets'), path: '/tickets/tickets', name: 'TicketList', hidden: true, bits: audit },
      ...ticketPages(audit, '/tickets/tickets'),
      ...flowPages,
    ],
  },
  {
    title: msg('X-Pack'),
    icon: 'xpack',
    path: '/xpack',
    bits: admin,
    license: true,
    children: [
      { title: msg('Interface Setting'), path: '/xpack/interface-setting', name: 'InterfaceSetting', bits: superBit, license: true },
      { title: msg('Organizations'), path: '/xpack/orgs', name: 'OrganizationList', bits: superBit, license: true },
      {
        title: msg('Create organization'),
        path: '/xpack/orgs/create',
        name: 'OrganizationCreate',
        hidden: true,
        bits: superBit,
        license: true,
        active: '/xpack/orgs',
      },
      {
        title: msg('Update org'),
        path: '/xpack/orgs/:id/update',
        name: 'OrganizationUpdate',
        hidden: true,
        bits: superBit,
        license: true,
        active: '/xpack/orgs',
      },
      {
        title: msg('Org detail'),
        path: '/xpack/orgs/:id',
        name: 'OrganizationDetail',
        hidden: true,
        bits: superBit,
        license: true,
        active: '/xpack/orgs',
      },
    ],
  },
  { title: msg('Settings'), icon: 'settings', path: '/settings', name: 'Settings', bits: superBit },
]

export const USER_MENU: readonly MenuEntry[] = [
  { title: msg('My Assets'), icon: 'my-assets', path: '/', name: 'MyAssets', bits: use, affix: true },
  { title: msg('Web Terminal'), icon: 'terminal', path: WIRE.webTerminalBase, name: 'WebTerminal', external: true, bits: use },
  { title: msg('File Manager'), icon: 'files', path: WIRE.fileManagerBase, name: 'FileManager', external: true, bits: use },
  {
    title: msg('Tickets'),
    icon: 'tickets',
    path: '/tickets',
    bits: use,
    license: true,
    removed: ({ TICKETS_ENABLED }) => TICKETS_ENABLED === false,
    children: [{ title: msg('Tickets'), path: '/tickets', name: 'TicketList', bits: use }, ...ticketPages(use, '/tickets')],
  },
]

/** Open to every role, never in the menu. */
export const COMMON_PAGES: readonly MenuEntry[] = [
  { title: msg('Site messages'), path: '/notifications/site-messages', name: 'SiteMessageList', hidden: true, bits: 0 },
  { title: msg('User profile'), path: '/users/profile', name: 'UserProfile', hidden: true, bits: 0, cache: false },
  {
    title: msg('First login'),
    path: '/users/first-login/personal-information-improvement/',
    name: 'PersonalInformationImprovement',
    hidden: true,
    bits: 0,
    cache: false,
  },
  { title: msg('User guide'), path: '/users/first-login/guide/', name: 'UserGuide', hidden: true, bits: 0 },
  { title: msg('Task log'), path: '/ops/celery/task/:id/log/', name: 'CeleryTaskLog', hidden: true, bits: 0, bare: true },
  { title: msg('Task log'), path: '/ops/task/task/:id/log/', name: 'TaskLog', hidden: true, bits: 0, bare: true },
]
