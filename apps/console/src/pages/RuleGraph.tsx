import { type ReactNode, useState } from 'react'
import { Name, type Named } from '../generic/detail/Sentence.tsx'
import { t } from '../lib/i18n.ts'
import styles from './rule-graph.module.css'

/** One step of a rule: what it is about, and the names that are there. */
export interface RuleStep {
  /** Already translated. */
  title: string
  things: readonly (Named & { icon?: ReactNode })[]
  /** Said where the step names nothing. */
  none: string
  /** The step holds nobody up: nothing there is not a fault. */
  isOpen?: boolean
}

interface RuleGraphProps {
  /** Name of the graph. */
  label: string
  /** The rule in a sentence. */
  children: ReactNode
  steps: readonly RuleStep[]
}

/**
 * A rule as a sentence, and below it as the way from who to what: steps side by side, each a list
 * of names, below each other where there is no room.
 */
export function RuleGraph({ label, children, steps }: RuleGraphProps) {
  return (
    <section className={`panel ${styles.ruleGraph}`} aria-label={label}>
      <p className={styles.ruleSentence}>{children}</p>
      <ol>
        {steps.map((step) => (
          <Step key={step.title} step={step} />
        ))}
      </ol>
    </section>
  )
}

const FIRST = 6

function Step({ step: { title, things, none, isOpen } }: { step: RuleStep }) {
  const [all, setAll] = useState(false)
  const shown = all ? things : things.slice(0, FIRST)
  return (
    <li>
      <h2>{title}</h2>
      {things.length === 0 && <p className={isOpen ? undefined : 'nobody'}>{none}</p>}
      <ul>
        {shown.map((thing) => (
          <li key={thing.words + thing.address}>
            {thing.icon}
            <Name thing={thing} />
          </li>
        ))}
      </ul>
      {things.length > shown.length && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          {t('All {{count}}', { count: things.length })}
        </button>
      )}
    </li>
  )
}
