import { type TicketFlow, ticketFlow } from '@sallyport/contract/resources/tickets/ticket-flow.ts'
import { NamedList } from '../../design/Named.tsx'
import { DetailCard } from '../../generic/detail/DetailCard.tsx'
import { Facts } from '../../generic/detail/Facts.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg, t } from '../../lib/i18n.ts'

interface StoredRule {
  level: number
  strategy_display: string
  assignees_display: string[]
}

/** A flow: what it is for, and who decides at each level. */
export function FlowView({ row }: DetailProps<TicketFlow>) {
  const rules = row.rules as unknown as readonly StoredRule[]
  return (
    <div className="detail-grid single">
      <div className="stacked">
        <DetailCard
          definition={ticketFlow}
          row={row}
          items={[
            { field: 'type_display', title: msg('Type') },
            'approval_level',
            'created_by',
            'date_created',
            'date_updated',
          ]}
        />
        {rules.map(({ level, strategy_display, assignees_display }) => (
          <section className="panel" key={level}>
            <h2>{t('Level {{level}}', { level })}</h2>
            <div className="fact-group">
              <Facts
                facts={[
                  { field: 'strategy', label: t('Approve strategy'), content: strategy_display },
                  {
                    field: 'assignees',
                    label: t('Assignees'),
                    content: assignees_display.length > 0 ? <NamedList texts={assignees_display} /> : t('Nobody'),
                  },
                ]}
              />
            </div>
          </section>
        ))}
      </div>
    </div>
  )
}
