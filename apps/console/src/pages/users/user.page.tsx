import { PERMISSION } from '@sallyport/contract/access.ts'
import { type User, user } from '@sallyport/contract/resources/users/user.ts'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { CheckboxGroup } from '../../design/inputs/CheckboxGroup.tsx'
import { tickCell } from '../../generic/cells/tick-cell.tsx'
import { bulkUpdate } from '../../generic/form/bulk-update.tsx'
import type { QuickAction } from '../../generic/view/actions.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormContext, FormValues, WidgetProps } from '../../generic/view/form-view.ts'
import { api } from '../../lib/api.ts'
import { formatRelative } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { addDays } from '../../lib/time/date-range.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { inRootOrg, licenseValid, session } from '../../session/session.ts'
import { UserLoginRules } from '../acls/UserLoginRules.tsx'
import { activeAction } from '../active-action.ts'
import { bulkActive } from '../bulk-active.ts'
import { checkAccess } from '../check-access.ts'
import { ApplicationsGrantedToUser } from '../perms/GrantedApplications.tsx'
import { GrantedToUser } from '../perms/GrantedAssets.tsx'
import { reachTab } from '../reach/Reach.tsx'
import { sessionsWith } from '../related.ts'
import { lifeStates, roleWords } from '../row-states.ts'
import { confirmAndCall } from './confirm-and-call.ts'
import { givenGroupsHelp, givenRoleHelp, givenRoles, givenWords, isRoleGiven } from './from-outside/given.ts'
import { invitationsAction, inviteAction } from './invitations/invite.tsx'
import { removeAction, removeSelected } from './leaving.tsx'
import { unbindActions } from './messengers.ts'
import { nextSteps } from './next-steps.tsx'
import { guardShared, isShared, mayChangePerson, mayDeletePerson, mayUpdatePerson } from './shared-person.ts'
import { UserSignIns } from './sign-ins.tsx'
import { UserGroupsCard } from './UserGroupsCard.tsx'
import { UserApplicationRules, UserPermissionRules } from './UserPermissionRules.tsx'

export const routes = resourcePlaces('User', {
  menu: 'users',
  order: 10,
  path: '/users/users',
  titles: {
    List: msg('Users@@list'),
    Create: msg('Create user'),
    Update: msg('Update user'),
    Detail: msg('User detail'),
  },
})

const PATH = user.path
/**
 * How long a new account lives unless somebody says otherwise; days
 * (docs/rules/users.md#user_form).
 */
const NEW_ACCOUNT_DAYS = 25_550
const BULK_EXPIRY_DAYS = 36_500

const isSuper = () => (session().bits & PERMISSION.super) !== 0
const inDays = (days: number) => addDays(new Date(), days).toISOString()

const isLocal = ({ source }: FormValues) => source === 'local' || source === undefined
const asksPassword = (values: FormValues, { mode }: FormContext) =>
  isLocal(values) && (mode === 'create' ? values.password_strategy === 'custom' : values.update_password === true)

function OrgRoles({ value, onChange, field, disabled, context }: WidgetProps<string[]>) {
  const given = givenRoles(context)
  const options = (field.choices ?? []).map((choice) => ({
    value: String(choice.value),
    label: choice.display_name,
    disabled: given.includes(String(choice.value)),
  }))
  return (
    <CheckboxGroup
      options={options}
      value={value ?? []}
      disabled={disabled ?? false}
      onChange={(next) => onChange?.(next)}
    />
  )
}

/**
 * What PUT would otherwise set back to its default is sent as it is stored; boxes of the form alone
 * are not sent (docs/rules/users.md#user_form).
 */
function toBody(values: FormValues, { mode, row }: FormContext): FormValues {
  const { update_password: _, set_public_key: __, ...body } = values
  if (mode === 'create') {
    if (inRootOrg()) delete body.groups
    return body
  }
  return { is_active: row?.is_active, need_update_password: row?.need_update_password, ...body }
}

const quickActions: readonly QuickAction<User>[] = [
  activeAction(
    { path: PATH, asksFor: (row) => row.name },
    {
      can: (row) => (row.id === session().profile.id ? t('You cannot disable yourself') : mayChangePerson(row)),
    },
  ),
  {
    name: 'reset-mfa',
    title: msg('Reset MFA'),
    button: msg('Reset'),
    // Passkeys sign in whether MFA is on or not: a person who lost a device needs them gone.
    has: (row) => row.mfa_enabled || row.passkey_count > 0,
    can: (row) => (row.id === session().profile.id ? t('You reset your own on your profile') : mayChangePerson(row)),
    run: (row) =>
      confirmAndCall(
        {
          title: t('Reset the MFA of {{name}}?', { name: row.name }),
          content: t('The authenticator app and all passkeys are taken away.'),
          okText: t('Reset'),
        },
        () => api.get(`${PATH}${row.id}/mfa/reset/`),
        t('MFA was reset'),
      ),
  },
  {
    name: 'reset-password',
    title: msg('Reset password'),
    button: msg('Send@@mail'),
    can: (row) => (row.source === 'local' ? mayChangePerson(row) : t('The password is kept in another system')),
    run: (row) =>
      confirmAndCall(
        {
          title: t('Send {{name}} a link to set a new password?', { name: row.name }),
          content: t('The old one stops working at once.'),
          okText: t('Send@@mail'),
        },
        () => api.patch(`${PATH}${row.id}/password/reset/`),
        t('The link is on its way'),
      ),
  },
  {
    name: 'reset-key',
    title: msg('Reset SSH key'),
    button: msg('Send@@mail'),
    can: (row) => (row.can_public_key_auth ? mayChangePerson(row) : t('This user cannot sign in with a key')),
    run: (row) =>
      confirmAndCall(
        {
          title: t('Remove the SSH key of {{name}}?', { name: row.name }),
          content: t('It opens nothing any more. A mail tells them where to set a new one.'),
          okText: t('Remove'),
        },
        () => api.patch(`${PATH}${row.id}/pubkey/reset/`),
        t('SSH key removed'),
      ),
  },
  {
    name: 'unblock',
    title: msg('Unblock sign-in'),
    button: msg('Unblock'),
    can: (row) => (row.login_blocked ? mayChangePerson(row) : t('Sign-in is not blocked')),
    run: async (row) => {
      await api.patch(`${PATH}${row.id}/unblock/`)
      showSuccess(t('Unblocked'))
    },
  },
  ...unbindActions,
  checkAccess('user'),
]

export const userPages = definePages<User>(user, {
  list: {
    columns: [
      'name',
      'username',
      'email',
      'phone',
      'wechat',
      'groups_display',
      { field: 'total_role_display', title: msg('Role'), cell: ({ value }) => roleWords(value) },
      'source',
      'is_valid',
      { field: 'login_blocked', cell: tickCell },
      { field: 'mfa_enabled', title: msg('MFA'), cell: tickCell },
      { field: 'mfa_force_enabled', cell: tickCell },
      { field: 'is_expired', cell: tickCell },
      'last_login',
      'date_joined',
      'date_password_last_updated',
      'comment',
      'created_by',
      'managed_by',
      'directory',
    ],
    defaultColumns: ['name', 'username', 'groups_display', 'total_role_display', 'source', 'is_valid'],
    minColumns: ['name', 'username'],
    canUpdate: mayUpdatePerson,
    canDelete: mayDeletePerson,
    headerActions: [inviteAction, invitationsAction],
    rowActions: [removeAction],
    bulkActions: [
      removeSelected,
      ...bulkActive(user),
      bulkUpdate({
        bearsRights: true,
        path: PATH,
        fields: [{ name: 'groups' }, 'date_expired', 'comment'],
        initial: { date_expired: inDays(BULK_EXPIRY_DAYS) },
        can: () => (inRootOrg() ? t('The root organization is read-only') : true),
      }),
    ],
  },
  form: {
    groups: guardShared([
      {
        title: msg('Account'),
        fields: [
          'name',
          'username',
          'email',
          {
            name: 'groups',
            disabledWhen: () => inRootOrg(),
            depends: (_values, context) => givenGroupsHelp(context),
          },
        ],
      },
      {
        title: msg('Authentication'),
        fields: [
          {
            name: 'password_strategy',
            // A link that no mail carries lets nobody in.
            initial: () => (session().settings.CAN_SEND_MAIL ? 'email' : 'custom'),
            label: msg('First password'),
            meanings: {
              email: msg('By mail, works once; needs a mail server'),
              custom: msg('You type it and hand it over'),
            },
            visibleWhen: (values, { mode }) => mode === 'create' && isLocal(values),
          },
          {
            name: 'update_password',
            label: msg('Update password'),
            local: { type: 'boolean' },
            visibleWhen: (values, context) =>
              context.mode === 'update' && !isShared(context) && isLocal(values) && values.update_password !== true,
            // Somebody else types it.
            onChange: (wanted) => (wanted === true ? { need_update_password: true } : undefined),
          },
          { name: 'password', widget: 'password-rules', visibleWhen: asksPassword, required: asksPassword },
          { name: 'need_update_password', visibleWhen: asksPassword, initial: true },
          {
            name: 'set_public_key',
            label: msg('Set public key'),
            local: { type: 'boolean' },
            visibleWhen: (values, context) =>
              context.mode === 'update' && !isShared(context) && values.set_public_key !== true,
          },
          {
            name: 'public_key',
            widget: 'textarea',
            placeholder: 'ssh-ed25519 AAAA…',
            visibleWhen: (values, { mode }) => mode === 'update' && values.set_public_key === true,
          },
          'mfa_level',
          'source',
        ],
      },
      {
        title: msg('Roles and validity'),
        fields: [
          {
            name: 'role',
            label: msg('System role'),
            visibleWhen: isSuper,
            disabledWhen: (_values, context) => isRoleGiven(context),
            depends: (_values, context) => givenRoleHelp(context),
            keepHidden: true,
          },
          {
            name: 'org_roles',
            label: msg('Organization role'),
            widget: OrgRoles,
            required: licenseValid,
            visibleWhen: licenseValid,
            disabledWhen: () => inRootOrg(),
            depends: (_values, context) =>
              givenRoles(context).length ? { help: givenWords(context.row?.source) ?? '' } : {},
            keepHidden: true,
          },
          { name: 'date_expired', initial: () => inDays(NEW_ACCOUNT_DAYS) },
        ],
      },
      { title: msg('Other'), folded: true, fields: ['phone', 'wechat', 'comment'] },
    ]),
    toBody,
    // Groups of the copied person are not taken over: a person who is added to a group is given its
    // grants.
    fromRow: (row, { mode }) => (mode === 'create' ? { ...row, groups: [] } : row),
  },
  detail: {
    title: (row) => row.name,
    states: (row) => [
      ...lifeStates(row),
      row.login_blocked ? { tone: 'danger', words: t('Sign-in blocked') } : undefined,
      row.is_directory_off ? { tone: 'warning', words: t('The directory or provider is off') } : undefined,
    ],
    lead: (row) => [
      row.username,
      roleWords(row.total_role_display),
      row.last_login ? t('Signed in {{time}}', { time: formatRelative(row.last_login) }) : t('Never signed in'),
    ],
    nextSteps,
    fields: [
      { field: 'username', copy: true },
      { field: 'email', copy: true },
      'phone',
      { field: 'total_role_display', title: msg('Role'), render: (row) => roleWords(row.total_role_display) },
      'comment',
    ],
    groups: [
      {
        title: msg('Authentication'),
        fields: [
          { field: 'source' },
          'directory',
          'managed_by',
          { field: 'mfa_level_display', title: msg('MFA') },
          'passkey_count',
          'last_login',
          'date_password_last_updated',
          'date_expired',
          'wecom_id',
          'dingtalk_id',
          'feishu_id',
          'date_joined',
        ],
      },
    ],
    quickActions,
    side: ({ row }) => <UserGroupsCard user={row.id} />,
    related: ({ id }) => [sessionsWith({ user_id: id }, ({ asset }) => String(asset))],
    tabs: [
      { name: 'UserGrantedAssets', title: msg('Granted assets'), component: GrantedToUser },
      { name: 'UserAssetPermissionRules', title: msg('Asset permission rules'), component: UserPermissionRules },
      {
        name: 'UserGrantedApplications',
        title: msg('Granted applications'),
        component: ApplicationsGrantedToUser,
      },
      {
        name: 'UserApplicationPermissionRules',
        title: msg('Application permission rules'),
        component: UserApplicationRules,
      },
      { name: 'UserReach', title: msg('Within reach'), component: reachTab('user') },
      { name: 'UserLoginACLList', title: msg('Sign-in rules'), component: UserLoginRules },
      { name: 'UserSignIns', title: msg('Active sign-ins'), component: UserSignIns },
    ],
    canUpdate: mayUpdatePerson,
    canDelete: mayDeletePerson,
  },
})

export const pages = { User: userPages }
