import { BATCH_HOSTS_MAX } from '@sallyport/contract/resources/ops/command-execution.ts'
import { Button } from '../../../design/Button.tsx'
import { t } from '../../../lib/i18n.ts'

interface RunBarProps {
  /** Text of the button, translated. */
  text: string
  /** How many machines are ticked. */
  count: number
  isBusy: boolean
  /** What went wrong, or is still missing. */
  wrong: readonly string[]
}

/** Below what is to be run: the button, on how many machines, and what keeps it from running. */
export function RunBar({ text, count, isBusy, wrong }: RunBarProps) {
  const isTooMany = count > BATCH_HOSTS_MAX
  return (
    <>
      <div className="batch-go">
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
