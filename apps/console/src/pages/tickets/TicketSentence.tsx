import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import type { ReactNode } from 'react'
import { Named } from '../../design/Named.tsx'
import { NamesInWords, Sentence } from '../../generic/detail/Sentence.tsx'
import { actionList } from '../../generic/permission-actions/action-words.ts'
import { t } from '../../lib/i18n.ts'
import ruleGraph from '../rule-graph.module.css'
import { AskedCommand } from './AskedCommand.tsx'
import { asWritten, metaOf } from './ticket-facts.tsx'
import tickets from './tickets.module.css'

/** The request of a ticket in a sentence; nothing for a general one, whose title says it. */
export function TicketSentence({ row }: { row: Ticket }) {
  const sentence = wordsOf(row)
  if (!sentence) return null
  return (
    <section className={`panel ${tickets.ticketSentence}`}>
      <p className={ruleGraph.ruleSentence}>
        <Sentence text={sentence.text} parts={sentence.parts} />
      </p>
      {row.type === 'command_confirm' && <AskedCommand row={row} />}
    </section>
  )
}

function wordsOf(row: Ticket): { text: string; parts: Record<string, ReactNode> } | undefined {
  const one = (name: string) => (
    <b>
      <Named text={String(metaOf(row, name) ?? '')} />
    </b>
  )
  const who = (
    <b>
      <Named text={row.applicant_display} />
    </b>
  )
  const names = (...fields: string[]) => {
    const words = fields.flatMap((name) => (metaOf(row, name) as string[] | undefined) ?? [])
    return <NamesInWords things={words.map((words) => ({ words }))} none={t('nothing@@sentence')} />
  }
  const time = {
    start: asWritten(metaOf(row, 'apply_date_start')),
    end: asWritten(metaOf(row, 'apply_date_expired')),
  }
  switch (row.type) {
    case 'apply_asset': {
      const allowed = actionList((metaOf(row, 'apply_actions') as string[] | undefined) ?? [])
      return {
        text: t('{{who}} asks to use {{what}} as {{whom}} from {{start}} until {{end}}. Allowed: {{actions}}.'),
        parts: {
          who,
          what: names('apply_nodes_display', 'apply_assets_display'),
          whom: names('apply_system_users_display'),
          ...time,
          actions: <NamesInWords things={allowed.map((words) => ({ words }))} most={6} none={t('nothing@@sentence')} />,
        },
      }
    }
    case 'apply_application':
      return {
        text: t('{{who}} asks to use {{what}} as {{whom}} from {{start}} until {{end}}.'),
        parts: {
          who,
          what: names('apply_applications_display'),
          whom: names('apply_system_users_display'),
          ...time,
        },
      }
    case 'login_confirm': {
      const city = String(metaOf(row, 'apply_login_city') ?? '')
      return {
        // Addresses of one's own network have no known city.
        text: city
          ? t('{{who}} wants to sign in from {{address}} ({{city}}).')
          : t('{{who}} wants to sign in from {{address}}.'),
        parts: { who, address: one('apply_login_ip'), city },
      }
    }
    case 'login_asset_confirm':
      return {
        text: t('{{who}} wants to sign in to {{what}} as {{whom}}.'),
        parts: { who, what: one('apply_login_asset'), whom: one('apply_login_system_user') },
      }
    case 'command_confirm':
      return {
        text: t('{{who}} wants to run this on {{what}} as {{whom}}:'),
        parts: {
          who,
          what: one('apply_run_asset'),
          whom: one('apply_run_system_user'),
        },
      }
    default:
      return undefined
  }
}
