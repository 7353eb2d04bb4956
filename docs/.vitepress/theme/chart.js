// What the plots of the site have in common.
import { onBeforeUnmount, onMounted, watch } from 'vue'

/** Draws a plot into an element, and again when its options change; they are those of the library, or null for none. */
export function useChart(box, options, isDark) {
  let chart
  let echarts
  const resized = () => chart?.resize()
  function draw() {
    chart?.dispose()
    if (!options.value) return
    chart = echarts.init(box.value, isDark.value ? 'dark' : null)
    chart.setOption({ backgroundColor: 'transparent', animation: false, ...options.value })
  }
  onMounted(async () => {
    // The library needs a browser, and is large: it is not loaded with the page.
    echarts = await import('echarts')
    draw()
    window.addEventListener('resize', resized)
  })
  onBeforeUnmount(() => {
    window.removeEventListener('resize', resized)
    chart?.dispose()
  })
  watch([options, isDark], () => echarts && draw(), { flush: 'post' })
}

/** Four digits. */
export function number(value) {
  const size = Math.abs(value)
  if (value === 0 || (size >= 0.01 && size < 1e6)) return value.toLocaleString('en', { maximumSignificantDigits: 4 })
  return size >= 1e6 && size < 1e12
    ? value.toLocaleString('en', { maximumSignificantDigits: 4, notation: 'compact' })
    : value.toExponential(2)
}
