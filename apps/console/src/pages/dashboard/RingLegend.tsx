import { CHART_COLORS } from './chart-colors.ts'

/** The slices of a ring as text with coloured dots. */
export function RingLegend({ label, slices }: { label: string; slices: readonly { name: string; value: number }[] }) {
  return (
    <div className="ring-legend">
      <b>{label}</b>
      <ul>
        {slices.map(({ name, value }, at) => (
          <li key={name}>
            <i style={{ background: CHART_COLORS[at] }} />
            {name} <b>{value}</b>
          </li>
        ))}
      </ul>
    </div>
  )
}
