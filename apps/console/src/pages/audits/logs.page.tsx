import { type FtpLog as FtpLogRow, ftpLog } from '@sallyport/contract/resources/audits/ftp-log.ts'
import { type LoginLog as LoginLogRow, loginLog } from '@sallyport/contract/resources/audits/login-log.ts'
import { type OperateLog as OperateLogRow, operateLog } from '@sallyport/contract/resources/audits/operate-log.ts'
import {
  type PasswordChangeLog as PasswordChangeLogRow,
  passwordChangeLog,
} from '@sallyport/contract/resources/audits/password-change-log.ts'
import { Status } from '../../design/Status.tsx'
import { definePages, type ResourcePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { DatedTable } from '../DatedTable.tsx'
import styles from '../lists.module.css'
import type { PageProps } from '../page-props.ts'
import { FileEvent } from './FileEvent.tsx'
import { OperationEvent } from './OperationEvent.tsx'
import { PasswordEvent } from './PasswordEvent.tsx'
import { SignInEvent } from './SignInEvent.tsx'

export const routes = places(
  { name: 'LoginLog', menu: 'audits', order: 10, title: msg('Sign-in log'), path: '/audits/login-log' },
  { name: 'FtpLog', menu: 'audits', order: 30, title: msg('File transfers'), path: '/audits/ftp-log' },
  { name: 'OperateLog', menu: 'audits', order: 40, title: msg('Operation log'), path: '/audits/operate-log' },
  {
    name: 'PasswordChangeLog',
    menu: 'audits',
    order: 50,
    title: msg('Password changes'),
    path: '/audits/password-change-log',
  },
)

const DAYS_BACK = 7

const loginLogs = definePages<LoginLogRow>(loginLog, {
  list: {
    columns: [
      { field: 'reason_display', title: msg('What happened'), cell: ({ row }) => <SignInEvent row={row} /> },
      'username',
      'on_behalf_of',
      'arrived_from',
      { field: 'type', width: 100 },
      { field: 'backend_display', title: msg('Authentication backend') },
      'ip',
      'city',
      {
        field: 'user_agent',
        title: msg('Program'),
        cell: ({ value, row }) => (
          <span className={styles.agent} title={String(value ?? '')}>
            {[row.browser, row.system].filter(Boolean).join(' · ') || String(value ?? '')}
          </span>
        ),
      },
      'mfa',
      {
        field: 'status',
        width: 104,
        cell: ({ value, row }) => <Status tone={value === true ? 'good' : 'danger'}>{row.status_display}</Status>,
      },
      'datetime',
    ],
    // The sentence says the others.
    defaultColumns: ['reason_display', 'status', 'ip', 'city', 'user_agent', 'datetime'],
    minColumns: ['reason_display', 'status', 'datetime'],
    foldFirst: ['user_agent', 'city', 'backend_display'],
    linkColumn: 'reason_display',
  },
})

const ftpLogs = definePages<FtpLogRow>(ftpLog, {
  list: {
    columns: [
      { field: 'filename', title: msg('What happened'), cell: ({ row }) => <FileEvent row={row} /> },
      'user',
      'on_behalf_of',
      'arrived_from',
      'asset',
      'system_user',
      'remote_addr',
      { field: 'operate', width: 100 },
      'is_success',
      'date_start',
    ],
    defaultColumns: ['filename', 'system_user', 'is_success', 'remote_addr', 'date_start'],
    minColumns: ['filename', 'date_start'],
    foldFirst: ['remote_addr', 'system_user'],
    linkColumn: 'filename',
  },
})

const operateLogs = definePages<OperateLogRow>(operateLog, {
  list: {
    columns: [
      { field: 'changes', title: msg('What happened'), cell: ({ row }) => <OperationEvent row={row} /> },
      'user',
      'on_behalf_of',
      'arrived_from',
      { field: 'action_display', width: 100 },
      'resource_type_display',
      'resource',
      'remote_addr',
      'datetime',
    ],
    // The sentence says the others.
    defaultColumns: ['changes', 'remote_addr', 'datetime'],
    minColumns: ['changes', 'datetime'],
    linkColumn: 'changes',
  },
})

const passwordChangeLogs = definePages<PasswordChangeLogRow>(passwordChangeLog, {
  list: {
    columns: [
      {
        field: 'event',
        title: msg('What happened'),
        cell: ({ row }) => <PasswordEvent row={row} />,
        sorter: false,
      },
      'user',
      'change_by',
      'on_behalf_of',
      'arrived_from',
      'remote_addr',
      'datetime',
    ],
    defaultColumns: ['event', 'remote_addr', 'datetime'],
    minColumns: ['event', 'datetime'],
    linkColumn: 'event',
  },
})

function logPage(pages: ResourcePages, base: string) {
  return ({ title }: PageProps) => (
    <PageFrame title={title}>
      <DatedTable pages={pages} base={base} inAddress daysBack={DAYS_BACK} />
    </PageFrame>
  )
}

/** Sign-ins and rejected ones (A2.56). */
export const LoginLog = logPage(loginLogs, 'LoginLog')
/** Which files went where (A2.56). */
export const FtpLog = logPage(ftpLogs, 'FtpLog')
/** Changes to objects, and the people who made them (A2.56). */
export const OperateLog = logPage(operateLogs, 'OperateLog')
/** The change of a password: its owner, and who made it (A2.56). */
export const PasswordChangeLog = logPage(passwordChangeLogs, 'PasswordChangeLog')

export const pages = { LoginLog, FtpLog, OperateLog, PasswordChangeLog }
