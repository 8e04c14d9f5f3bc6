import './plan.css'
import { Button } from '../../design/Button.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { t } from '../../lib/i18n.ts'
import type { PlanNode } from './plan.ts'

/** How a server would run a statement, step by step; what a step takes of the whole cost is a bar. */
export function PlanTree({ plan, text }: { plan: PlanNode; text: string }) {
  return (
    <div className="data-grid-result">
      <div className="data-grid-bar">
        <span className="tool-pane-count">{t('The server’s estimate: the statement was not run.')}</span>
        <Button size="small" onClick={() => void copyText(text)}>
          {t('Copy as JSON')}
        </Button>
      </div>
      <ul className="wb-plan">
        <Step step={plan} whole={largestCost(plan)} />
      </ul>
    </div>
  )
}

/** A step that stops early (LIMIT) costs less than those below it. */
const largestCost = ({ cost = 0, steps }: PlanNode): number => Math.max(cost, ...steps.map(largestCost))

function Step({ step, whole }: { step: PlanNode; whole: number }) {
  const { title, subject, rows, cost, ownCost, details, steps } = step
  const share = whole && ownCost !== undefined ? ownCost / whole : undefined
  return (
    <li>
      <details className="wb-step">
        <summary>
          <strong>{title}</strong>
          {subject && <code>{subject}</code>}
          {rows !== undefined && <span>{t('{{count|row|rows}}', { count: rows })}</span>}
          {cost !== undefined && <span>{t('Cost {{cost}}', { cost })}</span>}
          {share !== undefined && <meter value={share} title={t('Share of the whole cost')} />}
        </summary>
        <dl>
          {details.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {steps.length > 0 && (
        <ul>
          {steps.map((below, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a plan never changes
            <Step key={at} step={below} whole={whole} />
          ))}
        </ul>
      )}
    </li>
  )
}
