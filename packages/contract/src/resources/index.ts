/** The only registry of resources: what is not listed here does not exist for either side. */
import type { ResourceDefinition } from '../define.ts'
import { loginAcl } from './acls/login-acl.ts'
import { loginAssetAcl } from './acls/login-asset-acl.ts'
import { adminUser } from './assets/admin-user.ts'
import { asset } from './assets/asset.ts'
import { commandFilter } from './assets/command-filter.ts'
import { commandFilterRule } from './assets/command-filter-rule.ts'
import { domain } from './assets/domain.ts'
import { favoriteAsset } from './assets/favorite-asset.ts'
import { gateway } from './assets/gateway.ts'
import { label } from './assets/label.ts'
import { node } from './assets/node.ts'
import { platform } from './assets/platform.ts'
import { systemUser } from './assets/system-user.ts'
import { systemUserAssetRelation } from './assets/system-user-asset-relation.ts'
import { systemUserNodeRelation } from './assets/system-user-node-relation.ts'
import { systemUserUserRelation } from './assets/system-user-user-relation.ts'
import { ftpLog } from './audits/ftp-log.ts'
import { loginLog } from './audits/login-log.ts'
import { operateLog } from './audits/operate-log.ts'
import { passwordChangeLog } from './audits/password-change-log.ts'
import { accessKey } from './authentication/access-key.ts'
import { orgSignIn, signIn, userSignIn } from './authentication/sign-in.ts'
import { siteMessage } from './notifications/site-message.ts'
import { organization } from './orgs/organization.ts'
import { organizationMember } from './orgs/organization-member.ts'
import { assetPermission } from './perms/asset-permission.ts'
import { assetPermissionAssetRelation } from './perms/asset-permission-asset-relation.ts'
import { assetPermissionNodeRelation } from './perms/asset-permission-node-relation.ts'
import { assetPermissionSystemUserRelation } from './perms/asset-permission-system-user-relation.ts'
import { assetPermissionUserGroupRelation } from './perms/asset-permission-user-group-relation.ts'
import { assetPermissionUserRelation } from './perms/asset-permission-user-relation.ts'
import { grantedAsset } from './perms/granted-asset.ts'
import { command } from './terminal/command.ts'
import { session } from './terminal/session.ts'
import { sessionEvent } from './terminal/session-event.ts'
import { sessionJoinRecord } from './terminal/session-join-record.ts'
import { sessionSharing } from './terminal/session-sharing.ts'
import { terminal } from './terminal/terminal.ts'
import { terminalTask } from './terminal/terminal-task.ts'
import { ticket } from './tickets/ticket.ts'
import { ticketComment } from './tickets/ticket-comment.ts'
import { ticketFlow } from './tickets/ticket-flow.ts'
import { ticketSessionRelation } from './tickets/ticket-session-relation.ts'
import { user } from './users/user.ts'
import { userGroup } from './users/user-group.ts'
import { userGroupRelation } from './users/user-group-relation.ts'

export const resources: readonly ResourceDefinition[] = [
  organizationMember,
  organization,
  userGroupRelation,
  userGroup,
  user,
  accessKey,
  siteMessage,
  loginAcl,
  loginAssetAcl,
  ticket,
  ticketComment,
  ticketFlow,
  ticketSessionRelation,
  label,
  platform,
  domain,
  gateway,
  systemUser,
  adminUser,
  node,
  asset,
  systemUserAssetRelation,
  systemUserNodeRelation,
  systemUserUserRelation,
  commandFilter,
  commandFilterRule,
  favoriteAsset,
  assetPermissionAssetRelation,
  assetPermissionNodeRelation,
  assetPermissionSystemUserRelation,
  assetPermissionUserGroupRelation,
  assetPermissionUserRelation,
  assetPermission,
  grantedAsset,
  session,
  sessionEvent,
  sessionSharing,
  sessionJoinRecord,
  command,
  terminal,
  terminalTask,
  loginLog,
  operateLog,
  ftpLog,
  passwordChangeLog,
  signIn,
  userSignIn,
  orgSignIn,
]
