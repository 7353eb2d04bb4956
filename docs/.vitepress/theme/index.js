import DefaultTheme from 'vitepress/theme'
import Calculator from './Calculator.vue'
import Figures from './Figures.vue'
import Timeline from './Timeline.vue'
import './site.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Calculator', Calculator)
    app.component('Figures', Figures)
    app.component('Timeline', Timeline)
  },
}
