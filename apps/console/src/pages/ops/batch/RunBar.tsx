import { BATCH_HOSTS_MAX } from '@sallyport/contract/resources/ops/command-execution.ts'
import { Button } from '../../../design/Button.tsx'
import { t } from '../../../lib/i18n.ts'
import styles from './batch-command.module.css'
import { ChosenMachines } from './ChosenMachines.tsx'
import type { Machine } from './use-machines.ts'

interface RunBarProps {
  /** Text of the button, translated. */
  text: string
  /** Those that are ticked. */
  machines: readonly Machine[]
  onLeaveOut: (id: string) => void
  isBusy: boolean
  /** What went wrong, or is still missing. */
  wrong: readonly string[]
}

/** Below what is to be run: on which machines, the button, and what keeps it from running. */
export function RunBar({ text, machines, onLeaveOut, isBusy, wrong }: RunBarProps) {
  const count = machines.length
  const isTooMany = count > BATCH_HOSTS_MAX
  return (
    <>
      <ChosenMachines machines={machines} onLeaveOut={onLeaveOut} />
      <div className={styles.batchGo}>
        <Button type="primary" htmlType="submit" loading={isBusy} disabled={isTooMany}>
          {text}
        </Button>
        <span className="quiet" role="status">
          {isTooMany
            ? t('{{count}} assets are chosen; one run takes at most {{max}}', { count, max: BATCH_HOSTS_MAX })
            : t('{{count|asset|assets}} chosen', { count })}
        </span>
      </div>
      {wrong.map((line) => (
        <p className="bad" role="alert" key={line}>
          {line}
        </p>
      ))}
    </>
  )
}
