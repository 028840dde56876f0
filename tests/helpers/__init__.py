"""What tests share: slow twins of the compiled code, cases from diagrams, engines that misbehave."""
