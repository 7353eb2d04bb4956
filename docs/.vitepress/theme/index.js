import DefaultTheme from 'vitepress/theme'
import Figures from './Figures.vue'
import './site.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Figures', Figures)
  },
}
