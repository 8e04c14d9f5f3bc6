import {
  CAPACITY_FIGURES,
  type CapacityFigure,
  type CapacityReport,
  type CapacityRun,
} from '@sallyport/contract/resources/monitor/capacity.ts'
import { When } from '../../../generic/cells/When.tsx'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './capacity.module.css'
import { formatMeasured } from './units.ts'

/** Earlier measurements beside the newest one. */
const EARLIER = 3

/** The figures of a node, the newest first, and the machine that it was. */
export function FigureTable({ run, report }: { run: CapacityRun; report: CapacityReport }) {
  const runs = report.history.filter(({ node, state }) => node === run.node && state === 'done').slice(0, EARLIER + 1)
  const names = (Object.keys(CAPACITY_FIGURES) as CapacityFigure[]).filter((name) => run.figures[name] !== undefined)
  const { machine } = run
  return (
    <section className="panel" aria-label={run.node_name}>
      <h2>{run.node_name}</h2>
      <div className="table-box">
        <table className={`table ${styles.measured}`} aria-label={t('Figures of {{node}}', { node: run.node_name })}>
          <thead>
            <tr>
              <th scope="col">{t('Figure')}</th>
              {runs.map(({ id, date_asked }) => (
                <th key={id} scope="col" className="right">
                  <When value={date_asked} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <td>{report.titles[name]}</td>
                {runs.map(({ id, figures, date_asked }, at) => {
                  const value = figures[name]
                  return (
                    <td key={id} data-label={formatDate(date_asked, 'short')} className={at ? 'right quiet' : 'right'}>
                      {value === undefined ? null : formatMeasured(name, value)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {machine && (
        <p className={`inside quiet ${styles.machine}`}>
          {`Sallyport ${machine.version} · Node ${machine.node} · PostgreSQL ${machine.postgres} · ${machine.processors} × ${machine.model}`}
        </p>
      )}
    </section>
  )
}
