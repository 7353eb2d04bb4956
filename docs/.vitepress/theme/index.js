import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import Calculator from './Calculator.vue'
import Figures from './Figures.vue'
import FirstLines from './FirstLines.vue'
import Timeline from './Timeline.vue'
import './site.css'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-image': () => h(FirstLines) }),
  enhanceApp({ app }) {
    app.component('Calculator', Calculator)
    app.component('Figures', Figures)
    app.component('Timeline', Timeline)
  },
}
