import type { Asset } from '@sallyport/contract/resources/assets/asset.ts'
import type { OrganizationInvitation } from '@sallyport/contract/resources/orgs/organization-invitation.ts'
import type { AssetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import { CircleCheckIcon } from 'lucide-react'
import { isolated } from '../../lib/bidi.ts'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { addressOf, listOf } from '../../navigation/routes.ts'
import { mayAccess, session } from '../../session/session.ts'
import { ticketAddress } from '../tickets/ticket-address.ts'
import { NOW_MS } from './ask.ts'
import { type Group, GroupedCard } from './GroupedCard.tsx'

/** Permissions that end within so many days can still be renewed in time. */
const SOON_DAYS = 7
const SHOWN = 4

/** What waits for this person's word, by their rights; nothing for those who decide nothing. */
export function Decisions() {
  const all = groups()
  if (!all.length) return null
  return (
    <GroupedCard
      title={t('Pending approval')}
      groups={all}
      icon={<CircleCheckIcon />}
      nothing={t('Nothing pending')}
      refetchInterval={NOW_MS}
    />
  )
}

function groups(): Group[] {
  const { id } = session().profile
  const all: Group[] = []
  if (addressOf('TicketList'))
    all.push({
      title: t('Tickets'),
      to: listOf('TicketList', { activeTab: 'AssignedTicketList' }),
      path: '/api/v1/tickets/tickets/',
      query: { assignees__id: id, status: 'open', limit: SHOWN },
      line: (row: Ticket) => ({
        id: row.id,
        to: ticketAddress(row),
        main: row.title,
        note: [isolated(nameOf(row.applicant_display)), row.type_display].filter(Boolean).join(' · '),
        when: row.date_created,
      }),
    })
  if (mayAccess(['super_admin']))
    all.push({
      title: t('Assets with a changed address'),
      to: listOf('AssetList', { is_confirmed: '0' }),
      path: '/api/v1/assets/assets/',
      query: { is_confirmed: 0, limit: SHOWN },
      line: (row: Asset) => ({
        id: row.id,
        to: addressOf('AssetDetail', { id: row.id }),
        main: row.hostname,
        note: row.ip,
      }),
    })
  if (mayAccess(['org_admin']))
    all.push(
      {
        title: t('Permissions expiring this week'),
        to: listOf('AssetPermissionList', { expires_within: String(SOON_DAYS) }),
        path: '/api/v1/perms/asset-permissions/',
        query: { expires_within: SOON_DAYS, limit: SHOWN },
        line: (row: AssetPermission) => ({
          id: row.id,
          to: addressOf('AssetPermissionDetail', { id: row.id }),
          main: row.name,
          when: row.date_expired,
        }),
      },
      {
        title: t('Open invitations'),
        to: listOf('OrganizationInvitationList', { status: 'pending' }),
        path: '/api/v1/orgs/invitations/',
        query: { status: 'pending', limit: SHOWN },
        line: (row: OrganizationInvitation) => ({
          id: row.id,
          main: nameOf(row.user_display),
          note: nameOf(row.invited_by),
          when: row.date_created,
        }),
      },
    )
  return all
}
