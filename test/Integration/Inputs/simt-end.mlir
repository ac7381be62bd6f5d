      gpu.return
    }
  }
}
