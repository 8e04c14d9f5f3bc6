/** The charts of the start page. Loaded by it alone, as the library is heavy. */
import { LineChart as Lines, PieChart } from 'echarts/charts'
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components'
import { type EChartsCoreOption, init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { useDark } from '../../design/appearance.ts'
import { CHART_COLORS } from './chart-colors.ts'

use([Lines, PieChart, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer])

function Chart({ option, className, label }: { option: EChartsCoreOption; className: string; label: string }) {
  const box = useRef<HTMLDivElement>(null)
  const drawn = useRef(option)
  drawn.current = option
  const chart = useRef<ReturnType<typeof init>>(null)
  const dark = useDark()
  useEffect(() => {
    if (!box.current) return
    const made = init(box.current, dark ? 'dark' : null)
    made.setOption(drawn.current)
    chart.current = made
    const sizes = new ResizeObserver(() => made.resize())
    sizes.observe(box.current)
    return () => {
      sizes.disconnect()
      made.dispose()
      chart.current = null
    }
  }, [dark])
  useEffect(() => {
    chart.current?.setOption(option, true)
  }, [option])
  return <div ref={box} className={className} role="img" aria-label={label} />
}

interface LineChartProps {
  label: string
  x: readonly string[]
  series: readonly { name: string; values: readonly number[] }[]
}

/** Smooth lines with filled areas, a day a point. */
export function LineChart({ label, x, series }: LineChartProps) {
  const option: EChartsCoreOption = {
    backgroundColor: 'transparent',
    color: [...CHART_COLORS],
    tooltip: { trigger: 'axis', axisPointer: { type: 'cross' } },
    legend: { data: series.map(({ name }) => name), bottom: 0 },
    grid: { left: 8, right: 16, top: 16, bottom: 36, containLabel: true },
    xAxis: { type: 'category', boundaryGap: false, data: [...x] },
    yAxis: { type: 'value', minInterval: 1 },
    series: series.map(({ name, values }) => ({
      name,
      type: 'line',
      smooth: true,
      areaStyle: { opacity: 0.12 },
      data: [...values],
    })),
  }
  return <Chart option={option} className="chart" label={label} />
}

/** A ring of shares; name, count and percent on hover. */
export function RingChart({ label, slices }: { label: string; slices: readonly { name: string; value: number }[] }) {
  const option: EChartsCoreOption = {
    backgroundColor: 'transparent',
    color: [...CHART_COLORS],
    tooltip: { trigger: 'item', formatter: '{b}: {c} ({d}%)' },
    series: [{ type: 'pie', radius: ['62%', '88%'], label: { show: false }, data: [...slices] }],
  }
  return <Chart option={option} className="ring-chart" label={label} />
}
