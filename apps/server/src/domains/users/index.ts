import { user } from '@sallyport/contract/resources/users/user.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { addPreviewPart } from '../../kernel/resource/preview/parts.ts'
import { mountedResource } from '../../kernel/resource/registry.ts'
import { onMembershipEnded, organizationsHold } from '../orgs/index.ts'
import { placesAfter, placesBefore } from './group-preview.ts'
import { registerInvitations } from './invitation.ts'
import { registerGuide } from './profile/guide.ts'
import { registerOwnSecrets } from './profile/own-secrets.ts'
import { registerProfile } from './profile/profile.ts'
import { registerResets } from './reset.ts'
import { usersUser, usersUserGroup, usersUserGroupUser } from './tables.ts'

export { USER_CHANGED } from './changes.ts'
export { type Credentials, credentials } from './credentials.ts'
export { type Ending, endingAccounts, endingPasswords } from './ending.ts'
export { belongsTo, findUser, findUsers, findUsersOf, hasOwnPassword, type User } from './find-user.ts'
export { ensureFirstAdmin } from './first-admin.ts'
export { requireFreshMfa } from './fresh-mfa.ts'
export {
  type AccountEvent,
  languageOfPerson,
  languageOfUser,
  onAccountEvent,
  ownLanguage,
} from './notices/account-events.ts'
export { notifyOfChange } from './notices/change-notices.ts'
export { addOutsidePeople, changeOutsidePerson, type OutsideValues } from './outside-people.ts'
export { readablePassword } from './password/readable-password.ts'
export { createServiceAccount, serviceAccountName } from './service-account.ts'
export { guardPerson, peopleElsewhere } from './shared-person.ts'
export {
  bindMessenger,
  isMessengerTaken,
  signInNoted,
  switchOwnMfaOff,
  unbindMessenger,
} from './sign-in-marks.ts'
export { signInStateOf } from './user-fields.ts'
export { UNSEEN } from './username.ts'
export { usersAccount, usersGroupMember, usersListedGroup, usersPerson } from './views.ts'

/** People, groups and the caller's own profile. */
export function registerUsers(kernel: Kernel): void {
  const users = mountedResource(kernel, user, usersUser)
  registerInvitations(kernel, users)
  registerResets(kernel, users)
  registerProfile(kernel, users)
  registerOwnSecrets(kernel)
  registerGuide(kernel)
  addPreviewPart(kernel, { before: placesBefore, after: placesAfter })
  organizationsHold({ field: 'groups_amount', label: 'User group', from: usersUserGroup })
  onMembershipEnded({
    label: 'User group',
    links: usersUserGroupUser,
    person: usersUserGroupUser.user,
    thing: usersUserGroupUser.usergroup,
    orgId: usersUserGroup.org_id,
  })
}
